/** A table on a DynamoDB endpoint that sums the capacity units of its requests. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../../lib/local/host/tables.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { anyone } from '../kit/aws-client.ts';

interface Capacity {
  readonly CapacityUnits: number;
}

export interface MeasuredTable {
  readonly table: Table;
  /** The units since the last call. */
  readonly spent: () => number;
}

export async function measuredTable(endpoint: string): Promise<MeasuredTable> {
  let units = 0;
  const client = new DynamoDBClient({ ...anyone(endpoint), maxAttempts: 3 });
  await ensureTable(client, 'table');
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({
        ...args,
        input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input,
      });
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Capacity | Capacity[] };
      for (const { CapacityUnits } of [ConsumedCapacity ?? []].flat()) units += CapacityUnits;
      return result;
    },
    { step: 'initialize' },
  );
  return {
    table: openTable('table', client),
    spent: () => {
      const since = units;
      units = 0;
      return since;
    },
  };
}

/** The capacity units of a request. */
export async function unitsOf(
  request: () => Promise<unknown>,
  spent: MeasuredTable['spent'],
): Promise<number> {
  spent();
  await request();
  return spent();
}
