/** Sends the same random requests to two endpoints and lists where their responses differ. */
import { isDeepStrictEqual } from 'node:util';
import {
  type $Command,
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../../../lib/local/host/tables.ts';
import { PARTITIONS, type RandomRequest, RandomRequests } from './random-requests.ts';

const TABLE = 'compared';
// biome-ignore lint/suspicious/noExplicitAny: input and output of any of the operations
type AnyCommand = new (input: any) => $Command<any, any, any>;

const COMMANDS: Readonly<Record<RandomRequest['operation'], AnyCommand>> = {
  PutItem: PutItemCommand,
  UpdateItem: UpdateItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteItemsCommand,
};

/** What must be the same, and the error's message. */
interface Response {
  readonly compared: unknown;
  readonly lastKey?: Record<string, AttributeValue> | undefined;
  readonly message?: string;
}

/** @returns the differing requests, each with both responses, and how many requests succeeded on both endpoints. */
export async function compareEngines(
  configs: readonly [DynamoDBClientConfig, DynamoDBClientConfig],
  { count, seed }: { count: number; seed: number },
) {
  const clients = configs.map((config) => new DynamoDBClient({ ...config, maxAttempts: 1 }));
  await Promise.all(clients.map((client) => ensureTable(client, TABLE)));
  const requests = new RandomRequests(TABLE, seed);
  const differences: string[] = [];
  let succeeded = 0;
  for (let n = 0; n < count; n += 1) {
    const request = requests.next();
    const responses = await Promise.all(clients.map((client) => responseOf(client, request)));
    const [one, other] = responses;
    if (isDeepStrictEqual(one?.compared, other?.compared)) {
      if (one?.message === undefined) succeeded += 1;
      if (one?.lastKey) requests.starts.push(one.lastKey);
    } else {
      differences.push(JSON.stringify({ request, responses }));
      await Promise.all(clients.map(empty));
    }
  }
  for (const client of clients) client.destroy();
  return { differences, succeeded };
}

async function responseOf(client: DynamoDBClient, { operation, input }: RandomRequest): Promise<Response> {
  try {
    const { Item, Items, Count, ScannedCount, LastEvaluatedKey, Attributes } = await client.send(
      new COMMANDS[operation](input),
    );
    return {
      compared: { Item, Items, Count, ScannedCount, LastEvaluatedKey, Attributes },
      lastKey: LastEvaluatedKey,
    };
  } catch (thrown) {
    const { name, message } = thrown as Error;
    // Of several reasons to reject a transaction, each engine gives the one that it finds first.
    return { compared: operation === 'TransactWriteItems' ? 'rejected' : name, message };
  }
}

/** Lets both endpoints continue from the same state. */
async function empty(client: DynamoDBClient): Promise<void> {
  for (const pk of PARTITIONS) {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: TABLE,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: pk } },
        ConsistentRead: true,
      }),
    );
    for (const { pk, sk } of Items) {
      if (pk && sk) await client.send(new DeleteItemCommand({ TableName: TABLE, Key: { pk, sk } }));
    }
  }
}
