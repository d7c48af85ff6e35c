/** What the endpoints of enforcement share. */
import { versionAt } from '../../shared/runtime/http/entity-tag.ts';
import type { ErrorDetail } from '../../shared/runtime/http/errors.ts';
import type { Attestations } from '../../shared/store/enforcement/decisions.ts';

/** The version of what can be changed about the enforcement of a domain: what its owner attested. */
export const versionOf = ({ volume, seasonalSenders, forwardingLoss }: Attestations): string =>
  [volume, seasonalSenders, forwardingLoss].map((attested) => versionAt(attested?.at ?? null)).join('-');

/** The problem with an approval of the other customers of a provider. */
export const notApprovable: ErrorDetail = {
  path: 'body.status',
  message:
    'must not be approved, because every customer of the provider can send this mail. To approve your own mail there, ' +
    'let the provider sign it in the name of your domain (DKIM).',
};
