/** A table with transactions that are always in the way: it refuses each write at first, as DynamoDB does. */
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../shared/store/table.ts';
import { sendingThrough } from './table.ts';

const SINGLE_WRITES = ['PutCommand', 'UpdateCommand', 'DeleteCommand'];

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: object;
}

/** The same table, but each write succeeds only after `times` conflicts. */
export function conflicting(table: Table, times = 1): Table & { conflicts: () => readonly string[] } {
  const refused = new Map<string, number>();
  const conflicts: string[] = [];
  const refusal = (command: Command): Error | undefined => {
    const { name } = command.constructor;
    const about = { $metadata: {}, message: 'Transaction is ongoing for the item' };
    if (SINGLE_WRITES.includes(name)) return new TransactionConflictException(about);
    if (name !== 'TransactWriteCommand') return undefined;
    const CancellationReasons = [{ Code: 'None' }, { Code: 'TransactionConflict' }];
    return new TransactionCanceledException({ ...about, CancellationReasons });
  };
  const send = async (command: Command) => {
    const error = refusal(command);
    const write = `${command.constructor.name} ${JSON.stringify(command.input)}`;
    const before = refused.get(write) ?? 0;
    if (error !== undefined && before < times) {
      refused.set(write, before + 1);
      conflicts.push(command.constructor.name);
      throw error;
    }
    refused.delete(write);
    return table.client.send(command as never);
  };
  return { ...sendingThrough(table, send), conflicts: () => conflicts };
}
