import { roleOf } from '../protocol/scope.ts';
import type { AuditEntry } from '../store/audit.ts';
import type { Caller, Operation } from './operation.ts';
import type { Subject } from './outcome.ts';

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
