/**
 * An empty table on a separate embedded DynamoDB, by default in memory. Items expire according to `clock`, and never without one:
 * most tests write items of another time than now.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../../lib/local/host/tables.ts';
import { accessTo } from '../../lib/local/stores/access.ts';
import { startDynamoDb } from '../../lib/local/stores/dynamodb/endpoint.ts';
import type { IamAuthorizer } from '../../lib/local/stores/loopback-server.ts';
import { openTable, type Table, tableOn } from '../../shared/store/table.ts';
import { anyone } from './aws-client.ts';

export interface EmptyTable extends Table {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function emptyTable(
  clock = { now: () => new Date(0) },
  { path = ':memory:', guard }: { readonly path?: string; readonly guard?: IamAuthorizer } = {},
): Promise<EmptyTable> {
  const database = await startDynamoDb({ path, clock, guard });
  const access = accessTo([database]);
  const client = new DynamoDBClient({ ...anyone(database.endpoint), ...access, maxAttempts: 3 });
  await ensureTable(client, 'table');
  const table = openTable('table', client);
  access.documents(table.client, database.endpoint);
  return {
    ...table,
    endpoint: database.endpoint,
    async stop() {
      client.destroy();
      await database.stop();
    },
  };
}

/** The same table, whose requests go through `send`. */
export const sendingThrough = (
  { name }: Pick<Table, 'name'>,
  send: (command: never) => Promise<unknown>,
): Table => tableOn(name, { send } as unknown as Table['client']);

/** The same table on a copy that has nothing yet: eventually consistent reads find nothing. */
export const behind = (table: Table): Table =>
  sendingThrough(table, async (command: { constructor: { name: string }; input: object }) => {
    const { name } = command.constructor;
    const isRead = ['GetCommand', 'QueryCommand', 'BatchGetCommand'].includes(name);
    // Indexes have no consistent reads.
    const isConsistent = /"ConsistentRead":true|"IndexName"/.test(JSON.stringify(command.input));
    return isRead && !isConsistent ? {} : table.client.send(command as never);
  });
