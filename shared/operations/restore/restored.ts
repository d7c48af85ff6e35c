/** What a table that was restored to a point is compared with, and how what ended since ends again. */
import type { Table } from '../../store/table.ts';
import { type AuditDependencies, audited } from '../audit.ts';
import { type Caller, type Operation, operatorFor } from '../operation.ts';
import { type Outcome, Refused } from '../outcome.ts';

/** The table that was restored, the point, and the table before it. */
export interface Restored {
  readonly table: Table;
  readonly at: Date;
  /** Undefined if it is lost: then all tokens, members and waiting notifications count as ended. */
  readonly old: Table | undefined;
}

/** Whether something was there at the point; what is newer is left alone. */
export const wasThere = ({ createdAt }: { readonly createdAt: string }, { at }: Restored): boolean =>
  createdAt <= at.toISOString();

/**
 * Ends something of an organization again, by the operation that ended it before, with its entry in the audit log.
 * @returns 1, or 0 if somebody else ended it at that moment.
 */
export async function endAgain(
  operation: Pick<Operation, 'name'>,
  organization: string,
  deps: AuditDependencies,
  end: (caller: Caller<'operator'>) => Promise<Outcome<unknown>>,
): Promise<0 | 1> {
  const outcome = await end(operatorFor(organization));
  if (outcome instanceof Refused) return 0;
  await audited(operation, organization, deps, outcome);
  return 1;
}
