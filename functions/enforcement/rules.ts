/** What the endpoints of enforcement share. */

import type { ErrorDetail } from '../../shared/api/error-table.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { versionAt } from '../../shared/runtime/http/entity-tag.ts';
import type { Queue } from '../../shared/runtime/workers/queue.ts';
import type { DomainReference } from '../../shared/store/domains/domain.ts';
import type { Attestations } from '../../shared/store/enforcement/decisions.ts';

/** The version of what can be changed about the enforcement of a domain: what its owner attested. */
export const versionOf = ({ volume, seasonalSenders, forwardingLoss }: Attestations): string =>
  [volume, seasonalSenders, forwardingLoss].map((attested) => versionAt(attested?.at ?? null)).join('-');

export interface AssessAgainDependencies {
  /** The queue of roll-ups, which assess a domain. */
  readonly rollUps: Pick<Queue, 'send'>;
  readonly clock: Clock;
}

/** Has a domain assessed again: what its owner decided can close attention items, or open others. */
export async function assessAgain(
  { organization, id, domain }: DomainReference,
  { rollUps, clock }: AssessAgainDependencies,
): Promise<void> {
  const day = clock.now().toISOString().slice(0, 10);
  await rollUps.send({ domain: { organization, id, domain }, day, earlier: true });
}

/** The problem with an approval of the other customers of a provider. */
export const notApprovable: ErrorDetail = {
  path: 'body.status',
  message:
    'must not be approved, because every customer of the provider can send this mail. To approve your own mail there, ' +
    'let the provider sign it in the name of your domain (DKIM).',
};
