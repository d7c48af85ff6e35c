/** A table for a worker that dies at one of its writes. */
import type { Table } from '../../shared/store/table.ts';
import { sendingThrough } from './table.ts';

const WRITES = ['PutCommand', 'UpdateCommand', 'DeleteCommand', 'TransactWriteCommand', 'BatchWriteCommand'];

export class Crash extends Error {}

/** Before the write, or after the write but before its result arrives. */
export type Moment = 'before' | 'after';

/** The same table for a worker that dies at its `n`th write. */
export function dyingAt(table: Table, n: number, when: Moment): Table & { died: () => boolean } {
  let writes = 0;
  const send = async (command: { constructor: { name: string } }) => {
    if (writes >= n) throw new Crash();
    if (!WRITES.includes(command.constructor.name)) return table.client.send(command as never);
    writes += 1;
    if (writes === n && when === 'before') throw new Crash();
    const answer = await table.client.send(command as never);
    if (writes >= n) throw new Crash();
    return answer;
  };
  return { ...sendingThrough(table, send), died: () => writes >= n };
}

/** The result of the work; undefined if the worker dies. */
export async function unlessItDies<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return undefined;
  }
}
