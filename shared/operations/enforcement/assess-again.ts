import type { Clock } from '../../network/ports.ts';
import { dayAt } from '../../protocol/time.ts';
import type { DomainReference } from '../../store/domains/domain.ts';
import type { RollUpMessage } from '../../store/reports/days.ts';
import type { MessageSender } from '../operation.ts';

export interface AssessAgainDependencies {
  /** The queue of roll-ups, which assess a domain. */
  readonly rollUps: MessageSender<RollUpMessage>;
  readonly clock: Clock;
}

/** Has a domain assessed again: what its owner decided can close attention items, or open others. */
export async function assessAgain(
  { organization, id, domain }: DomainReference,
  { rollUps, clock }: AssessAgainDependencies,
): Promise<void> {
  const day = dayAt(clock.now());
  await rollUps.send({ domain: { organization, id, domain }, kind: 'DMARC', day, earlier: true });
}
