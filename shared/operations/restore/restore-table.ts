import * as z from 'zod/mini';
import { timestamp } from '../../protocol/schema.ts';
import type { Table } from '../../store/table.ts';
import type { InputOf, Operation } from '../operation.ts';
import type { Done } from '../outcome.ts';

export const operation = {
  name: 'restoreTable',
  summary: 'Restore the table, as it was at a time, into a new table',
  description: 'Goes on with one that was begun. The service does not use the new table yet.',
  scope: 'operator',
  input: z.object({
    /** The name of the new table. */
    to: z.string(),
    at: timestamp,
  }),
  refusals: ['invalid_request'],
  uses: [],
} as const satisfies Operation;

/** Point-in-time recovery of tables. */
export interface TableRecovery {
  /** The latest point to which a table can be restored; undefined if it has no point-in-time recovery. */
  readonly latestPoint: (table: string) => Promise<Date | undefined>;
  /** Restores a table, and waits until the new one can be used. Goes on with one that was begun. */
  readonly restore: (how: { readonly from: string; readonly to: string; readonly at: Date }) => Promise<void>;
  /** Sets what a restore leaves out. Safe to repeat. */
  readonly protect: (table: string) => Promise<void>;
  /** Deletes a table if it exists. */
  readonly remove: (table: string) => Promise<void>;
}

/** Changes nothing that an organization has; `finishRestore` is in their audit logs. */
export async function restoreTable(
  { to, at }: InputOf<typeof operation>,
  { table, recovery }: { readonly table: Pick<Table, 'name'>; readonly recovery: TableRecovery },
): Promise<Done<null>> {
  await recovery.restore({ from: table.name, to, at: new Date(at) });
  await recovery.protect(to);
  return { value: null };
}
