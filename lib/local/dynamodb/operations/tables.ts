/** CreateTable, DescribeTable, ListTables, DeleteTable, UpdateTimeToLive, DescribeTimeToLive. */
import type * as z from 'zod/mini';
import type { Database } from '../database.ts';
import { InvalidRequest, invalidParameter } from '../errors.ts';
import type * as requests from '../requests.ts';
import { type KeyAttribute, type Keys, keyNames, type Table } from '../tables.ts';

const MAX_TABLES_LISTED = 100;

export function createTable(database: Database, request: z.output<typeof requests.CreateTable>) {
  const types = new Map(request.AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType]));
  const keysOf = (schema: typeof request.KeySchema): Keys => {
    const [hash, range] = schema.map(({ AttributeName, KeyType }, position): KeyAttribute => {
      const type = types.get(AttributeName);
      if (KeyType !== (position === 0 ? 'HASH' : 'RANGE')) {
        throw invalidParameter('Invalid KeySchema: first the HASH key type, then at most one RANGE key type');
      }
      if (!type)
        throw invalidParameter(
          `Some index key attributes are not defined in AttributeDefinitions: ${AttributeName}`,
        );
      return { name: AttributeName, type };
    });
    if (!hash || hash.name === range?.name) throw invalidParameter('Invalid KeySchema: the keys must differ');
    return range ? [hash, range] : [hash];
  };
  const keys = keysOf(request.KeySchema);
  const indexes = (request.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => {
    if ((Projection.ProjectionType === 'INCLUDE') !== (Projection.NonKeyAttributes !== undefined)) {
      throw invalidParameter('NonKeyAttributes belong to the ProjectionType INCLUDE, and to no other');
    }
    return { name: IndexName, keys: keysOf(KeySchema), projection: Projection };
  });
  const used = new Set([keys, ...indexes.map((index) => index.keys)].flatMap(keyNames));
  if (used.size !== types.size) {
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

export function listTables(database: Database, request: z.output<typeof requests.ListTables>) {
  const { ExclusiveStartTableName: start = '', Limit = MAX_TABLES_LISTED } = request;
  const names = database
    .tables()
    .map(({ name }) => name)
    .filter((name) => name > start)
    .sort();
  return {
    TableNames: names.slice(0, Limit),
    LastEvaluatedTableName: names.length > Limit ? names[Limit - 1] : undefined,
  };
}

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

export function describeTimeToLive(database: Database, { TableName }: z.output<typeof requests.TableName>) {
  const { timeToLive } = database.table(TableName);
  return {
    TimeToLiveDescription: {
      TimeToLiveStatus: timeToLive === undefined ? 'DISABLED' : 'ENABLED',
      AttributeName: timeToLive,
    },
  };
}

function describe({ storage }: Database, { id, name, keys, indexes, created }: Table) {
  const arn = `arn:aws:dynamodb:local:000000000000:table/${name}`;
  const types = new Map(
    [keys, ...indexes.map((index) => index.keys)].flat().map((key) => [key?.name, key?.type]),
  );
  return {
    TableName: name,
    TableArn: arn,
    TableStatus: 'ACTIVE',
    CreationDateTime: created,
    AttributeDefinitions: [...types].flatMap(([AttributeName, AttributeType]) =>
      AttributeName === undefined ? [] : { AttributeName, AttributeType },
    ),
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
