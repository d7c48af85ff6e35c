import type { AuditEntry } from '../store/audit.ts';
import type { Caller, Operation } from './operation.ts';
import type { Subject } from './outcome.ts';

/** The entries of the audit log about what an operation changed. */
export const auditEntries = (
  { name: action }: Pick<Operation, 'name'>,
  { token }: Pick<Caller, 'token'>,
  subjects: readonly Subject[],
  now: Date,
): AuditEntry[] =>
  subjects.map(({ id: subject, name = null }) => ({
    ...{ at: now.toISOString(), action, token: token?.id ?? null, subject, name },
  }));
