import type { Clock } from '../network/ports.ts';
import { roleOf } from '../protocol/scope.ts';
import type { AuditEntry } from '../store/audit.ts';
import { type Caller, type Operation, operatorFor } from './operation.ts';
import type { Done, Subject } from './outcome.ts';

/** The entries of the audit log about what an operation changed. The operator has no address. */
export const auditEntries = (
  { name: action }: Pick<Operation, 'name'>,
  { token }: Pick<Caller, 'token'>,
  subjects: readonly Subject[],
  now: Date,
  clientAddress: string | null = null,
): AuditEntry[] =>
  subjects.map(({ id: subject, name = null, changes = [] }) => ({
    ...{ at: now.toISOString(), action, token: token?.id ?? null, subject, name, clientAddress },
    ...{ actor: token?.name ?? null, role: token && roleOf(token.scope), changes: [...changes] },
  }));

export interface AuditDependencies {
  /** Adds entries to the audit log of an organization. */
  readonly audit: (organization: string, entries: readonly AuditEntry[]) => Promise<void>;
  readonly clock: Clock;
}

/** Adds what an operation of the operator changed to the audit log of an organization. Returns what came of it. */
export async function audited<Value>(
  operation: Pick<Operation, 'name'>,
  organization: string,
  { audit, clock }: AuditDependencies,
  { value, subjects = [] }: Done<Value>,
): Promise<Value> {
  await audit(organization, auditEntries(operation, operatorFor(organization), subjects, clock.now()));
  return value;
}
