/** The endpoint under test: a table, and shorthands for requests. */
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
  ScanCommand,
  type ScanCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';

export type Fields = Record<string, unknown>;
type Rest<Input> = Omit<Partial<Input>, 'TableName'>;

export type Subject = Awaited<ReturnType<typeof openSubject>>;

/** All keys are strings: `pk`, `sk`; indexes `places` (team, town) and `keepers` (keeper). */
const documents = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'team', AttributeType: 'S' },
    { AttributeName: 'town', AttributeType: 'S' },
    { AttributeName: 'keeper', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'places',
      KeySchema: [
        { AttributeName: 'team', KeyType: 'HASH' },
        { AttributeName: 'town', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
    {
      IndexName: 'keepers',
      KeySchema: [{ AttributeName: 'keeper', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
});

/** How a client reaches the endpoint. `documents` changes how commands do. */
export interface Connection extends DynamoDBClientConfig {
  readonly documents?: (client: DynamoDBDocumentClient, endpoint?: string) => void;
}

/** Creates the table; `close` deletes it. */
export async function openSubject({ documents: change, ...config }: Connection) {
  const client = new DynamoDBClient({ maxAttempts: 3, ...config });
  const sdk = DynamoDBDocumentClient.from(client);
  change?.(sdk, String(config.endpoint));
  const table = `contract-${randomUUID().slice(0, 8)}`;
  await client.send(new CreateTableCommand(documents(table)));
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 120 }, { TableName: table });
  const of = { TableName: table };
  return {
    client,
    sdk,
    table,
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
    scan: (more: Rest<ScanCommandInput>) => sdk.send(new ScanCommand({ ...of, ...more })),
    query: (KeyConditionExpression: string, values: Fields, more: Partial<QueryCommandInput> = {}) =>
      sdk.send(
        new QueryCommand({ ...of, KeyConditionExpression, ExpressionAttributeValues: values, ...more }),
      ),
    transact: (
      TransactItems: TransactWriteCommandInput['TransactItems'],
      more: Partial<TransactWriteCommandInput> = {},
    ) => sdk.send(new TransactWriteCommand({ ...more, TransactItems })),
    async close() {
      await client.send(new DeleteTableCommand({ TableName: table }));
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
