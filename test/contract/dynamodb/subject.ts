/** The endpoint under test: two tables, and shorthands for requests. */
import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';

export type Fields = Record<string, unknown>;
type Rest<Input> = Omit<Partial<Input>, 'TableName'>;

export type Subject = Awaited<ReturnType<typeof openSubject>>;

/** `pk`, `sk` strings; indexes `all` (team, score number), `keys` (keeper), `some` (team, town; note, weight). */
const documents = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'team', AttributeType: 'S' },
    { AttributeName: 'score', AttributeType: 'N' },
    { AttributeName: 'keeper', AttributeType: 'S' },
    { AttributeName: 'town', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'all',
      KeySchema: [
        { AttributeName: 'team', KeyType: 'HASH' },
        { AttributeName: 'score', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
    {
      IndexName: 'keys',
      KeySchema: [{ AttributeName: 'keeper', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'some',
      KeySchema: [
        { AttributeName: 'team', KeyType: 'HASH' },
        { AttributeName: 'town', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note', 'weight'] },
    },
  ],
});

/** A string partition key and a number sort key, no index. */
const numbers = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'n', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'n', KeyType: 'RANGE' },
  ],
});

/** Creates the tables; `close` deletes them. */
export async function openSubject(config: DynamoDBClientConfig) {
  const client = new DynamoDBClient({ maxAttempts: 3, ...config });
  const sdk = DynamoDBDocumentClient.from(client);
  const run = randomUUID().slice(0, 8);
  const table = `contract-${run}`;
  const numberTable = `contract-${run}-numbers`;
  for (const definition of [documents(table), numbers(numberTable)]) {
    await client.send(new CreateTableCommand(definition));
  }
  for (const TableName of [table, numberTable]) {
    await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 120 }, { TableName });
  }
  const of = { TableName: table };
  return {
    client,
    sdk,
    table,
    numberTable,
    definition: documents,
    /** Returns a partition key that no other test case uses. */
    fresh: (): string => randomUUID(),
    put: (Item: Fields, more: Rest<PutCommandInput> = {}) =>
      sdk.send(new PutCommand({ ...of, ...more, Item })),
    remove: (Key: Fields, more: Rest<DeleteCommandInput> = {}) =>
      sdk.send(new DeleteCommand({ ...of, ...more, Key })),
    update: (Key: Fields, UpdateExpression: string | undefined, more: Rest<UpdateCommandInput> = {}) =>
      sdk.send(new UpdateCommand({ ...of, ...more, Key, UpdateExpression })),
    get: (Key: Fields, more: Rest<GetCommandInput> = {}) =>
      sdk.send(new GetCommand({ ...of, ConsistentRead: true, ...more, Key })),
    query: (KeyConditionExpression: string, values: Fields, more: Partial<QueryCommandInput> = {}) =>
      sdk.send(
        new QueryCommand({ ...of, KeyConditionExpression, ExpressionAttributeValues: values, ...more }),
      ),
    transact: (
      TransactItems: TransactWriteCommandInput['TransactItems'],
      more: Partial<TransactWriteCommandInput> = {},
    ) => sdk.send(new TransactWriteCommand({ ...more, TransactItems })),
    async close() {
      for (const TableName of [table, numberTable]) await client.send(new DeleteTableCommand({ TableName }));
      client.destroy();
    },
  };
}

/** Returns the error of a request. Fails if the request succeeds. */
export async function refusal(request: Promise<unknown>): Promise<Error & Fields> {
  try {
    await request;
  } catch (error) {
    return error as Error & Fields;
  }
  throw new Error('the request was accepted');
}

/** Retries until `attempt` does not throw: indexes are eventually consistent. */
export async function eventually<Result>(
  attempt: () => Promise<Result>,
  milliseconds = 5000,
): Promise<Result> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
