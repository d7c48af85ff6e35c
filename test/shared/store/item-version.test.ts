import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Layouts, versionItems } from '../../../shared/store/item-version.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';

/** A name became first and last name, and then a list. */
const layouts: Layouts = {
  'PERSON#': [
    ({ name, ...item }) => ({ ...item, first: String(name).split(' ')[0], last: String(name).split(' ')[1] }),
    ({ first, last, ...item }) => ({ ...item, names: [first, last] }),
  ],
};

let table: EmptyTable;
/** The table as code with those layouts sees it, and its raw content. */
let versioned: DynamoDBDocumentClient;
let raw: DynamoDBDocumentClient;

beforeAll(async () => {
  table = await emptyTable();
  const open = () =>
    DynamoDBDocumentClient.from(
      new DynamoDBClient({
        endpoint: table.endpoint,
        region: 'us-east-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      }),
    );
  raw = open();
  versioned = open();
  versionItems(versioned, layouts);
});
afterAll(() => {
  raw.destroy();
  versioned.destroy();
  return table.stop();
});

const TableName = 'table';
const read = async (client: DynamoDBDocumentClient, pk: string, sk: string) =>
  (await client.send(new GetCommand({ TableName, Key: { pk, sk } }))).Item;

describe('a written item', () => {
  const Item = { pk: 'P', sk: 'PERSON#1', names: ['Ada', 'Lovelace'] };

  test.each([
    ['alone', new PutCommand({ TableName, Item })],
    ['in a transaction', new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item } }] })],
    ['in a batch', new BatchWriteCommand({ RequestItems: { table: [{ PutRequest: { Item } }] } })],
  ])('%s has the version of its kind', async (_how, command) => {
    await versioned.send(command as PutCommand);
    expect(await read(raw, 'P', 'PERSON#1')).toEqual({ ...Item, version: 3 });
  });

  test.each([
    ['P', 'PERSON', 1],
    ['P', 'PERSON@unread#1', 3],
    ['PEOPLE', '0193-ada', 1],
  ])('%s %s has version %d', async (pk, sk, version) => {
    await versioned.send(new PutCommand({ TableName, Item: { pk, sk } }));
    expect(await read(raw, pk, sk)).toEqual({ pk, sk, version });
  });
});

describe('a read item', () => {
  test.each([
    ['without a version', { name: 'Ada Lovelace' }],
    ['of the first layout', { version: 1, name: 'Ada Lovelace' }],
    ['of the second layout', { version: 2, first: 'Ada', last: 'Lovelace' }],
    ['of the current layout', { version: 3, names: ['Ada', 'Lovelace'] }],
    ['with unknown attributes', { version: 3, names: ['Ada', 'Lovelace'], since: 1815 }],
  ])('%s gets the current layout', async (_which, item) => {
    const Key = { pk: 'OLD', sk: 'PERSON#1' };
    await raw.send(new PutCommand({ TableName, Item: { ...Key, ...item } }));
    const names = ['Ada', 'Lovelace'];
    expect(await read(versioned, 'OLD', 'PERSON#1')).toMatchObject({ names });
    const { Items } = await versioned.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': 'OLD' },
      }),
    );
    expect(Items).toEqual([expect.objectContaining({ names })]);
    const { Attributes } = await versioned.send(
      new UpdateCommand({
        ...{ TableName, Key, ReturnValues: 'ALL_NEW', UpdateExpression: 'SET seen = :seen' },
        ExpressionAttributeValues: { ':seen': true },
      }),
    );
    expect(Attributes).toMatchObject({ names, seen: true });
  });

  test('is rejected if newer code wrote it, and stays unchanged', async () => {
    const item = { pk: 'NEW', sk: 'PERSON#1', version: 4, called: 'Ada' };
    await raw.send(new PutCommand({ TableName, Item: item }));
    await expect(read(versioned, 'NEW', 'PERSON#1')).rejects.toThrow(
      'an item PERSON# has version 4, and this code knows up to 3: deploy the newer code again',
    );
    await expect(read(table.client, 'NEW', 'PERSON#1')).rejects.toThrow('knows up to 1');
    expect(await read(raw, 'NEW', 'PERSON#1')).toEqual(item);
  });
});
