import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateQuery, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anyone } from '../../../../kit/aws-client.ts';
import { until } from '../../../../kit/until.ts';
import { useFolder } from '../../../../kit/use.ts';

const ROUNDS = 5;
const IN_FLIGHT = 8;
const PARTS = 100;
const TableName = 'ledger';
const SERVE = new URL('./serve.ts', import.meta.url).pathname;

describe('a process killed while it writes', () => {
  let folder = '';
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    folder = useFolder('dynamodb-kill');
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
  });

  async function serve() {
    const child = spawn(execPath, [SERVE, join(folder, 'ledger.sqlite')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = await once(child.stdout, 'data');
    const client = new DynamoDBClient(anyone(String(line).trim()));
    return { child, sdk: DynamoDBDocumentClient.from(client) };
  }

  /**
   * Writes one entry as many items, so that the process is usually killed within a transaction. One of them is also in
   * an index.
   */
  const entry = (id: string) =>
    new TransactWriteCommand({
      TransactItems: Array.from({ length: PARTS }, (_, part) => ({
        Put: {
          TableName,
          Item: { pk: 'ledger', sk: `${id}#${part}`, ...(part === 0 && { book: 'all' }) },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      })),
    });

  async function keys(
    sdk: DynamoDBDocumentClient,
    query: {
      IndexName?: string;
      KeyConditionExpression: string;
      ExpressionAttributeValues: Record<string, string>;
    },
  ) {
    const found: string[] = [];
    for await (const { Items = [] } of paginateQuery({ client: sdk }, { TableName, ...query })) {
      found.push(...Items.map(({ sk }) => String(sk)));
    }
    return found;
  }

  test(`keeps every acknowledged transaction and no partial ones, in ${ROUNDS} rounds`, async () => {
    const acknowledged: string[] = [];
    let { child, sdk } = await serve();
    await sdk.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk', 'book'].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'books',
            KeySchema: [{ AttributeName: 'book', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }),
    );

    for (let round = 0; round < ROUNDS; round += 1) {
      const write = async (worker: number): Promise<void> => {
        for (let n = 0; ; n += 1) {
          const id = `${round}-${worker}-${n}`;
          try {
            await sdk.send(entry(id));
          } catch {
            return;
          }
          acknowledged.push(id);
        }
      };
      const writers = Array.from({ length: IN_FLIGHT }, (_, worker) => write(worker));
      // Kill at a random time, but only after some transactions are acknowledged.
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + IN_FLIGHT);
      await sleep(Math.random() * 250);
      child.kill('SIGKILL');
      await Promise.all(writers);
      ({ child, sdk } = await serve());

      const stored = await keys(sdk, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': 'ledger' },
      });
      const parts = Map.groupBy(stored, (sk) => sk.split('#')[0] ?? '');
      expect(acknowledged.filter((id) => !parts.has(id))).toEqual([]);
      expect([...parts].filter(([, members]) => members.length !== PARTS)).toEqual([]);
      const indexed = await keys(sdk, {
        IndexName: 'books',
        KeyConditionExpression: 'book = :all',
        ExpressionAttributeValues: { ':all': 'all' },
      });
      expect(indexed.toSorted()).toEqual(stored.filter((sk) => sk.endsWith('#0')).toSorted());
    }
  });
});
