import type { Alert } from '../../alerts/alert.ts';
import { markReadBody } from '../../api/alerts.ts';
import { alertPath, missing } from '../../api/common.ts';
import type { Clock } from '../../network/ports.ts';
import type { AlertStore } from '../../store/alerts/alerts.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

export const operation = {
  name: 'markAlertRead',
  summary: 'Mark an alert as read',
  description: 'An alert cannot be marked as unread again.',
  scope: 'write',
  on: alertPath,
  input: markReadBody,
  refusals: ['invalid_request', 'not_found', 'precondition_failed'],
  uses: ['domain-data:write', 'alerts:list'],
} as const satisfies Operation;

/** The version of an alert that is read. Nobody knows another one: only these outcomes have one, and it stays read. */
const READ = 'read';

interface MarkReadDependencies {
  readonly alerts: Pick<AlertStore, 'markRead'>;
  readonly clock: Clock;
}

export async function markAlertRead(
  { organization, isCurrent }: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { alerts, clock }: MarkReadDependencies,
): Promise<OutcomeOf<typeof operation, Alert>> {
  if (!isCurrent(READ)) return new Refused('precondition_failed');
  const read = await alerts.markRead(organization, id, clock.now());
  if (read === undefined) return new Refused('not_found', missing.alert);
  return { value: read, version: READ, subjects: [{ id, name: read.domainName }] };
}
