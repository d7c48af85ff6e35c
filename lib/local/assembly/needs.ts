/** Which permissions a request to the embedded endpoints takes (AWS, "Service Authorization Reference"). */
import { domainOf } from '../../../shared/protocol/mail-address.ts';
import { tableDefinition } from '../../../shared/store/keys.ts';
import type { LoopbackRequest } from '../loopback-server.ts';
import { SEND_EMAIL_PATH } from '../outbox/endpoint.ts';
import { SQS_TARGET } from '../queues/operations.ts';
import type { Arns } from './arns.ts';
import type { Json } from './cloud-assembly.ts';
import type { Need } from './policies.ts';

export type Service = 'dynamodb' | 'sqs' | 's3' | 'ses';

const DYNAMODB_TARGET = 'DynamoDB_20120810.';

export function serviceOf({ headers, url }: LoopbackRequest): Service {
  const target = String(headers['x-amz-target'] ?? '');
  if (target.startsWith(DYNAMODB_TARGET)) return 'dynamodb';
  if (target.startsWith(SQS_TARGET)) return 'sqs';
  return url === SEND_EMAIL_PATH ? 'ses' : 's3';
}

/** All of them must be allowed. */
export function needsOf(request: LoopbackRequest, arns: Arns): readonly Need[] {
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  return {
    dynamodb: () => tableNeeds(operation, JSON.parse(String(request.body)), arns),
    sqs: () => [queueNeed(operation, JSON.parse(String(request.body)), arns)],
    s3: () => [objectNeed(request, arns)],
    ses: () => [sendingNeed(JSON.parse(String(request.body)), arns)],
  }[serviceOf(request)]();
}

/** A transaction takes the permissions of its parts; a batch has an action of its own. */
function tableNeeds(operation: string, input: Json, arns: Arns): Need[] {
  const onTable = (action: string, table: string, items: readonly Json[]) =>
    tableNeed(action, arns.table(table), items);
  switch (operation) {
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return input.TransactItems.flatMap((item: Json) =>
        Object.entries<Json>(item).map(([part, { TableName, Key, Item }]) =>
          onTable(part === 'ConditionCheck' ? 'ConditionCheckItem' : `${part}Item`, TableName, [Key ?? Item]),
        ),
      );
    case 'BatchGetItem':
      return Object.entries<Json>(input.RequestItems).map(([table, { Keys }]) =>
        onTable(operation, table, Keys),
      );
    case 'BatchWriteItem':
      return Object.entries<Json>(input.RequestItems).map(([table, writes]) =>
        onTable(
          operation,
          table,
          writes.map(({ PutRequest, DeleteRequest }: Json) => PutRequest?.Item ?? DeleteRequest?.Key),
        ),
      );
    case 'Query':
      return [queryNeed(input, arns)];
    default:
      return [onTable(operation, input.TableName, [input.Key ?? input.Item])];
  }
}

const tableNeed = (operation: string, resource: string, items: readonly Json[]): Need => ({
  action: `dynamodb:${operation}`,
  resource,
  context: leadingKeys(items.flatMap((item) => item?.[tableDefinition.partitionKey]?.S ?? [])),
});

function queryNeed(input: Json, arns: Arns): Need {
  const { TableName, IndexName, KeyConditionExpression = '', ExpressionAttributeNames = {} } = input;
  const key = IndexName === undefined ? tableDefinition.partitionKey : tableDefinition.index.partitionKey;
  const equalities = [...KeyConditionExpression.matchAll(/([#\w]+)\s*=\s*(:\w+)/g)];
  const values = equalities.flatMap(([, name, value]) =>
    (ExpressionAttributeNames[name] ?? name) === key ? [input.ExpressionAttributeValues[value].S] : [],
  );
  return {
    action: 'dynamodb:Query',
    resource: `${arns.table(TableName)}${IndexName === undefined ? '' : `/index/${IndexName}`}`,
    context: leadingKeys(values),
  };
}

const leadingKeys = (values: readonly string[]) => ({ 'dynamodb:LeadingKeys': values });

/** A batch is allowed by the action for one message. */
const queueNeed = (operation: string, { QueueUrl, QueueName }: Json, arns: Arns): Need => ({
  action: `sqs:${operation.replace(/Batch$/, '')}`,
  resource: arns.queue(QueueName ?? QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1)),
});

/** Of the domain's identity, which an address without one of its own is sent by. */
function sendingNeed({ FromEmailAddress }: Json, arns: Arns): Need {
  const address = FromEmailAddress.replace(/^.*<|>$/g, '');
  return {
    action: 'ses:SendEmail',
    resource: arns.identity(domainOf(address)),
    context: { 'ses:FromAddress': [address] },
  };
}

const objectActions: Readonly<Record<string, string>> = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  DELETE: 's3:DeleteObject',
};

function objectNeed({ method, url }: LoopbackRequest, arns: Arns): Need {
  const [path = '', query] = url.split('?', 2);
  const [, bucket = '', ...rest] = path.split('/');
  const key = decodeURIComponent(rest.join('/'));
  if (key !== '') {
    return { action: objectActions[method] ?? `s3:${method}`, resource: `${arns.bucket(bucket)}/${key}` };
  }
  const prefix = new URLSearchParams(query).get('prefix');
  return {
    action: 's3:ListBucket',
    resource: arns.bucket(bucket),
    context: { 's3:prefix': prefix === null ? [] : [prefix] },
  };
}

/** What takes the right to be told that an object is not there, and not only that it cannot be had. */
export const needToMiss = ({ url }: LoopbackRequest, arns: Arns): Need => ({
  action: 's3:ListBucket',
  resource: arns.bucket(url.split('/')[1] ?? ''),
});
