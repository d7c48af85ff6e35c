import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type DynamoDb,
  type DynamoDbOptions,
  startDynamoDb,
} from '../../../../../lib/local/stores/dynamodb/endpoint.ts';
import { useFolder } from '../../../../kit/use.ts';

const TABLE = {
  TableName: 'things',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
};

const KEY = { Key: { pk: { S: 'a' } } };
const addOne = {
  ...{ TableName: 'things', ...KEY, UpdateExpression: 'ADD n :one' },
  ExpressionAttributeValues: { ':one': { N: '1' } },
};

describe('the embedded DynamoDB endpoint', () => {
  let folder = '';
  let running: DynamoDb[] = [];

  beforeEach(async () => {
    folder = useFolder('dynamodb');
  });
  afterEach(async () => {
    await Promise.all(running.map((one) => one.stop()));
    running = [];
  });

  async function start(options: Partial<DynamoDbOptions> = {}): Promise<DynamoDb> {
    const started = await startDynamoDb({ path: join(folder, 'file.sqlite'), ...options });
    running.push(started);
    return started;
  }
  /** Starts a server with the table. */
  async function startWithTable(options: Partial<DynamoDbOptions> = {}): Promise<DynamoDb> {
    const server = await start(options);
    await call(server, 'CreateTable', TABLE);
    return server;
  }

  async function call({ endpoint }: DynamoDb, operation: string, body: unknown) {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'content-type': 'application/x-amz-json-1.0',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    return { status: response.status, type: String(answer.__type ?? '').split('#')[1], answer };
  }

  const put = (server: DynamoDb, pk: string, more: object = {}) =>
    call(server, 'PutItem', { TableName: 'things', Item: { pk: { S: pk }, ...more } });
  const get = async (server: DynamoDb, pk: string) =>
    (await call(server, 'GetItem', { TableName: 'things', Key: { pk: { S: pk } } })).answer.Item;

  const enableExpiry = async (server: DynamoDb) =>
    (
      await call(server, 'UpdateTimeToLive', {
        TableName: 'things',
        TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
      })
    ).answer;

  test('asks which updates may be lost in a crash of the machine, by their partition alone', async () => {
    const asked: string[] = [];
    const server = await startWithTable({ isFleeting: (partition) => asked.push(partition) > 0 });
    await put(server, 'a');
    const update = { TableName: 'things', ...KEY, UpdateExpression: 'SET n = :n' };
    await call(server, 'UpdateItem', { ...update, ExpressionAttributeValues: { ':n': { N: '1' } } });
    expect(asked).toEqual(['a']);
    expect(await get(server, 'a')).toEqual({ pk: { S: 'a' }, n: { N: '1' } });
  });

  describe('request validation', () => {
    const provisioned = { ...TABLE, BillingMode: 'PROVISIONED' };
    const unsupported = { TableName: 'things', Key: {}, AttributesToGet: ['a'] };

    test.each<[string, string, unknown, number, string]>([
      ['an inherited property name as an operation', 'constructor', {}, 400, 'Validation'],
      ['an unsupported parameter', 'GetItem', unsupported, 400, 'Validation'],
      ['a table with provisioned throughput', 'CreateTable', provisioned, 400, 'Validation'],
      ['a body that is not JSON', 'GetItem', '{', 400, 'Serialization'],
      ['a body that is not an object', 'GetItem', '[]', 400, 'Validation'],
      ['a body of more than 16 MB', 'GetItem', `"${'x'.repeat(16 * 1024 * 1024)}"`, 413, 'Serialization'],
    ])('rejects %s', async (_, operation, body, status, type) => {
      const server = await start();
      expect(await call(server, operation, body)).toMatchObject({ status, type: `${type}Exception` });
      expect(await call(server, 'CreateTable', TABLE)).toMatchObject({ status: 200 });
    });

    test.each<[string, string, object]>([
      ['the operation ListTables', 'ListTables', {}],
      ['the parameter Select', 'Query', { KeyConditionExpression: 'pk = :v', Select: 'COUNT' }],
      ['a returnValues other than NONE and ALL_NEW', 'UpdateItem', { ...KEY, ReturnValues: 'ALL_OLD' }],
      ['sets', 'PutItem', { Item: { ...KEY.Key, words: { SS: ['a'] } } }],
      ['the function size as an operand', 'DeleteItem', { ...KEY, ConditionExpression: 'pk > size(s)' }],
      ['the function contains', 'DeleteItem', { ...KEY, ConditionExpression: 'contains(s, :v)' }],
      ['IN', 'DeleteItem', { ...KEY, ConditionExpression: 's IN (:v)' }],
      ['NOT', 'DeleteItem', { ...KEY, ConditionExpression: 'NOT s = :v' }],
      ['DELETE in updates', 'UpdateItem', { ...KEY, UpdateExpression: 'DELETE s :v' }],
      ['subtraction', 'UpdateItem', { ...KEY, UpdateExpression: 'SET n = n - :v' }],
      [
        'the function if_not_exists as an operand',
        'UpdateItem',
        { ...KEY, UpdateExpression: 'SET n = if_not_exists(n, :v)' },
      ],
      ['positions of lists in expressions', 'UpdateItem', { ...KEY, UpdateExpression: 'REMOVE s[0]' }],
    ])('does not offer %s', async (feature, operation, more) => {
      const server = await startWithTable();
      const values = JSON.stringify(more).includes(':v')
        ? { ExpressionAttributeValues: { ':v': { S: 'x' } } }
        : {};
      expect(await call(server, operation, { TableName: 'things', ...more, ...values })).toMatchObject({
        type: 'ValidationException',
        answer: { message: `The embedded DynamoDB does not offer ${feature}` },
      });
    });

    test('rejects attribute values that do not have exactly one type', async () => {
      const server = await startWithTable();
      let deep: unknown = { S: 'x' };
      for (let n = 0; n < 40; n += 1) deep = { L: [deep] };
      const wrong = [{}, { S: 'a', N: '1' }, { S: 1 }, { X: 'a' }, 'a', null, { NULL: false }, { B: '?' }];
      for (const value of [...wrong, deep])
        expect(await put(server, 'a', { value })).toMatchObject({ status: 400, type: 'ValidationException' });
    });

    test('treats attributes named like JavaScript object properties as any others', async () => {
      const server = await startWithTable();
      const odd = JSON.parse('{"__proto__": {"S": "kept"}}');
      const absent = {
        ConditionExpression: 'attribute_not_exists(#c)',
        ExpressionAttributeNames: { '#c': 'constructor' },
      };
      const answer = await call(server, 'PutItem', {
        TableName: 'things',
        Item: { pk: { S: 'a' }, ...odd },
        ...absent,
      });
      expect(answer.status).toBe(200);
      expect(JSON.stringify(await get(server, 'a'))).toBe('{"pk":{"S":"a"},"__proto__":{"S":"kept"}}');
    });
  });

  test('keeps tables, items and time to live after a restart', async () => {
    const first = await startWithTable();
    await enableExpiry(first);
    await put(first, 'a', { n: { N: '1' } });
    await first.stop();
    running = [];
    const second = await start();
    expect(await get(second, 'a')).toEqual({ pk: { S: 'a' }, n: { N: '1' } });
    expect(await call(second, 'CreateTable', TABLE)).toMatchObject({ type: 'ResourceInUseException' });
    expect(await enableExpiry(second)).toMatchObject({ message: 'TimeToLive is already enabled' });
  });

  test('notices what another process does to a table', async () => {
    const [one, other] = [await start(), await start()];
    await call(one, 'CreateTable', TABLE);
    await put(other, 'a');
    expect(await get(one, 'a')).toEqual({ pk: { S: 'a' } });
    await call(other, 'DeleteTable', { TableName: 'things' });
    expect(await put(one, 'a')).toMatchObject({ type: 'ResourceNotFoundException' });
    await call(other, 'CreateTable', TABLE);
    await put(other, 'b');
    expect(await get(one, 'b')).toEqual({ pk: { S: 'b' } });
  });

  test('deletes a table with its items', async () => {
    const server = await startWithTable();
    await put(server, 'a');
    await call(server, 'DeleteTable', { TableName: 'things' });
    expect(await put(server, 'a')).toMatchObject({ type: 'ResourceNotFoundException' });
    await call(server, 'CreateTable', TABLE);
    expect(await get(server, 'a')).toBeUndefined();
  });

  test('rejects a request with another Host header', async () => {
    const { endpoint } = await start();
    const status = await new Promise((resolve, reject) => {
      request(endpoint, { method: 'POST', headers: { host: 'rebound.example' } }, ({ statusCode }) =>
        resolve(statusCode),
      )
        .on('error', reject)
        .end('{}');
    });
    expect(status).toBe(403);
  });

  test('allows two servers to use one file', async () => {
    const [one, two] = [await start(), await start()];
    await call(one, 'CreateTable', TABLE);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => call(n % 2 === 0 ? one : two, 'UpdateItem', addOne)),
    );
    expect(await get(two, 'a')).toEqual({ pk: { S: 'a' }, n: { N: '40' } });
    await enableExpiry(one);
    expect(await enableExpiry(two)).toMatchObject({ message: 'TimeToLive is already enabled' });
  });

  test('fails to start if the port is in use or the file is not a database', async () => {
    const { endpoint } = await start();
    await expect(start({ path: ':memory:', port: Number(new URL(endpoint).port) })).rejects.toThrow(
      /EADDRINUSE/,
    );
    await writeFile(join(folder, 'text'), 'no database, and longer than the header of one. '.repeat(20));
    await expect(start({ path: join(folder, 'text') })).rejects.toThrow(/not a database/);
  });

  describe('time to live', () => {
    const NOW = Date.UTC(2026, 10, 21) / 1000;
    const clock = { now: () => new Date(NOW * 1000) };
    const expiring = { until: { N: String(NOW - 1) } };

    test('deletes only expired items', async () => {
      const server = await startWithTable({ clock, sweepMilliseconds: 20 });
      await put(server, 'before it was enabled', expiring);
      await enableExpiry(server);
      const kept = {
        'not yet': { until: { N: String(NOW + 1) } },
        'no number': { until: { S: String(NOW - 1) } },
        without: {},
        'five years ago': { until: { N: String(NOW - 6 * 365 * 24 * 3600) } },
      };
      await put(server, 'expired', expiring);
      for (const [pk, more] of Object.entries(kept)) await put(server, pk, more);
      const deadline = Date.now() + 60_000;
      while ((await get(server, 'expired')) !== undefined && Date.now() < deadline) await sleep(10);
      expect(await get(server, 'expired')).toBeUndefined();
      expect(await get(server, 'before it was enabled')).toBeUndefined();
      for (const [pk, more] of Object.entries(kept))
        expect(await get(server, pk)).toEqual({ pk: { S: pk }, ...more });
    });

    test('expires transaction tokens after ten minutes', async () => {
      let seconds = NOW;
      const server = await startWithTable({ clock: { now: () => new Date(seconds * 1000) } });
      const transaction = { ClientRequestToken: 'once', TransactItems: [{ Update: addOne }] };
      for (const pause of [0, 599, 2]) {
        seconds += pause;
        await call(server, 'TransactWriteItems', transaction);
      }
      expect(await get(server, 'a')).toMatchObject({ n: { N: '2' } });
    });
  });
});
