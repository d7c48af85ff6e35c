import { alertsToMark } from '../../api/console.ts';
import type { Clock } from '../../network/ports.ts';
import type { AlertStore } from '../../store/alerts/alerts.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import type { Subject } from '../outcome.ts';

export const operation = {
  name: 'markAlertsRead',
  summary: 'Mark the alerts that match a filter as read, up to the newest one that was seen',
  scope: 'write',
  input: alertsToMark,
  refusals: ['not_found'],
  uses: ['organizations:read', 'domain-data:write', 'alerts:list'],
} as const satisfies Operation;

/** How many unread alerts one request marks, in the order of the list. */
const MOST = { page: 1, limit: 300 };
const CONCURRENT = 10;

interface MarkAllReadDependencies extends DomainDependencies {
  readonly alerts: Pick<AlertStore, 'list' | 'markRead'>;
  readonly clock: Clock;
}

/** Returns the alerts that were marked, as subjects. */
export async function markAlertsRead(
  caller: CallerOf<typeof operation>,
  { domain: domainId, severity, newest }: InputOf<typeof operation>,
  { domains, alerts, clock }: MarkAllReadDependencies,
): Promise<OutcomeOf<typeof operation, readonly Subject[]>> {
  const { organization } = caller;
  const mark = async (): Promise<OutcomeOf<typeof operation, readonly Subject[]>> => {
    const now = clock.now();
    const wanted = { domainId, severity, unreadOnly: true };
    const found = await alerts.list(organization, wanted, MOST, now);
    // Ids are in the order of creation; what was raised after the page was loaded stays unread.
    const shown = found.alerts.filter(({ id }) => id <= newest);
    for (let at = 0; at < shown.length; at += CONCURRENT) {
      const some = shown.slice(at, at + CONCURRENT);
      await Promise.all(some.map(({ id }) => alerts.markRead(organization, id, now)));
    }
    const subjects = shown.map(({ id, domainName }) => ({ id, name: domainName }));
    return { value: subjects, subjects };
  };
  return domainId === undefined ? mark() : onDomain(caller, domainId, { domains }, mark);
}
