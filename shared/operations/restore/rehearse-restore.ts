import type { Clock } from '../../network/ports.ts';
import type { Table } from '../../store/table.ts';
import type { Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { type FinishDependencies, type Finished, finishRestore } from './finish-restore.ts';
import type { TableRecovery } from './restore-table.ts';

export const operation = {
  name: 'rehearseRestore',
  summary:
    'Restore the latest state of the table into a new table, as after a loss, and make that fit for use',
  description:
    'The new table is deleted afterwards, with the entries in its audit logs. The service is not changed.',
  scope: 'operator',
  refusals: ['invalid_request', 'not_found'],
  uses: [],
} as const satisfies Operation;

interface Rehearsed {
  /** The point to which the table was restored, and when that began; when it was restored, and when it was fit for use. */
  readonly at: Date;
  readonly begunAt: Date;
  readonly restoredAt: Date;
  readonly finishedAt: Date;
  /** The name of the new table, which is deleted. */
  readonly copy: Pick<Table, 'name'>;
  readonly first: Finished;
  /** What making it fit again did: what the first time missed. */
  readonly second: Finished;
}

export interface RehearseDependencies {
  readonly table: Table;
  readonly recovery: TableRecovery;
  /** What makes a table with this name fit for use, beside the present one. */
  readonly finishing: (table: string) => FinishDependencies;
  readonly clock: Clock;
}

/** In characters; the longest name of a table has 255. */
const MAX_NAME = 200;

export async function rehearseRestore({
  table,
  recovery,
  finishing,
  clock,
}: RehearseDependencies): Promise<OutcomeOf<typeof operation, Rehearsed>> {
  const begunAt = clock.now();
  const at = await recovery.latestPoint(table.name);
  if (at === undefined) return new Refused('not_found', `${table.name} has no point-in-time recovery`);
  const name = `${table.name.slice(0, MAX_NAME)}-drill-${begunAt.getTime()}`;
  try {
    await recovery.restore({ from: table.name, to: name, at });
    const restoredAt = clock.now();
    const finish = () => finishRestore({ at: at.toISOString() }, finishing(name));
    const first = await finish();
    if (first instanceof Refused) return first;
    const finishedAt = clock.now();
    const second = await finish();
    if (second instanceof Refused) return second;
    const times = { at, begunAt, restoredAt, finishedAt };
    return { value: { ...times, copy: { name }, first: first.value, second: second.value } };
  } finally {
    await recovery.remove(name);
  }
}
