/** What the endpoints of enforcement share. */
import { versionAt } from '../../shared/runtime/http/entity-tag.ts';
import type { Attestations } from '../../shared/store/enforcement/decisions.ts';

/** The version of what can be changed about the enforcement of a domain: what its owner attested. */
export const versionOf = ({ volume, seasonalSenders, forwardingLoss }: Attestations): string =>
  [volume, seasonalSenders, forwardingLoss].map((attested) => versionAt(attested?.at ?? null)).join('-');
