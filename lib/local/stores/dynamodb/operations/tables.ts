/** CreateTable, DescribeTable, DeleteTable, UpdateTimeToLive. */
import type * as z from 'zod/mini';
import type { Database } from '../database.ts';
import { InvalidRequest, invalidParameter } from '../errors.ts';
import type * as requests from '../requests.ts';
import { type KeyAttribute, type Keys, keyNames, type Table } from '../tables.ts';

export function createTable(database: Database, request: z.output<typeof requests.CreateTable>) {
  const defined = new Set(request.AttributeDefinitions.map(({ AttributeName }) => AttributeName));
  const keysOf = (schema: typeof request.KeySchema): Keys => {
    const [hash, range] = schema.map(({ AttributeName, KeyType }, position): KeyAttribute => {
      if (KeyType !== (position === 0 ? 'HASH' : 'RANGE')) {
        throw invalidParameter('Invalid KeySchema: first the HASH key type, then at most one RANGE key type');
      }
      if (!defined.has(AttributeName))
        throw invalidParameter(
          `Some index key attributes are not defined in AttributeDefinitions: ${AttributeName}`,
        );
      return { name: AttributeName, type: 'S' };
    });
    if (!hash || hash.name === range?.name) throw invalidParameter('Invalid KeySchema: the keys must differ');
    return range ? [hash, range] : [hash];
  };
  const keys = keysOf(request.KeySchema);
  const indexes = (request.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => ({
    name: IndexName,
    keys: keysOf(KeySchema),
    projection: Projection,
  }));
  const used = new Set([keys, ...indexes.map((index) => index.keys)].flatMap(keyNames));
  if (used.size !== defined.size) {
    throw invalidParameter(
      'Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions',
    );
  }
  if (new Set(indexes.map(({ name }) => name)).size < indexes.length) {
    throw invalidParameter('Duplicate index name');
  }
  const created = Math.floor(database.clock.now().getTime() / 1000);
  const table = database.create({ name: request.TableName, keys, indexes, created });
  return { TableDescription: describe(database, table) };
}

export const describeTable = (database: Database, { TableName }: z.output<typeof requests.TableName>) => ({
  Table: describe(database, database.table(TableName)),
});

export function deleteTable(database: Database, { TableName }: z.output<typeof requests.TableName>) {
  const table = database.table(TableName);
  const description = describe(database, table);
  database.drop(table);
  return { TableDescription: { ...description, TableStatus: 'DELETING' } };
}

export function updateTimeToLive(database: Database, request: z.output<typeof requests.UpdateTimeToLive>) {
  const table = database.table(request.TableName);
  const { AttributeName, Enabled } = request.TimeToLiveSpecification;
  if (Enabled === (table.timeToLive !== undefined)) {
    throw new InvalidRequest(`TimeToLive is already ${Enabled ? 'enabled' : 'disabled'}`);
  }
  database.expireBy(table, Enabled ? AttributeName : undefined);
  return { TimeToLiveSpecification: request.TimeToLiveSpecification };
}

function describe({ storage }: Database, { id, name, keys, indexes, created }: Table) {
  const arn = `arn:aws:dynamodb:local:000000000000:table/${name}`;
  const names = new Set([keys, ...indexes.map((index) => index.keys)].flatMap(keyNames));
  return {
    TableName: name,
    TableArn: arn,
    TableStatus: 'ACTIVE',
    CreationDateTime: created,
    AttributeDefinitions: [...names].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema(keys),
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 },
    ItemCount: storage.count(id),
    GlobalSecondaryIndexes:
      indexes.length === 0
        ? undefined
        : indexes.map((index) => ({
            IndexName: index.name,
            IndexArn: `${arn}/index/${index.name}`,
            IndexStatus: 'ACTIVE',
            KeySchema: keySchema(index.keys),
            Projection: index.projection,
          })),
  };
}

const keySchema = (keys: Keys) =>
  keyNames(keys).map((AttributeName, position) => ({
    AttributeName,
    KeyType: position === 0 ? 'HASH' : 'RANGE',
  }));
