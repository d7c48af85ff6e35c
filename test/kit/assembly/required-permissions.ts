/** The permissions that a request to the embedded endpoints requires (AWS, "Service Authorization Reference"). */

import { KMS_TARGET } from '../../../lib/local/stores/kms/endpoint.ts';
import type { LoopbackRequest } from '../../../lib/local/stores/loopback-server.ts';
import { SEND_EMAIL_PATH } from '../../../lib/local/stores/outbox/endpoint.ts';
import { SQS_TARGET } from '../../../lib/local/stores/queues/operations.ts';
import { domainOf } from '../../../shared/protocol/mail-address.ts';
import { tableDefinition } from '../../../shared/store/keys.ts';
import type { Arns } from './arns.ts';
import type { Json } from './cloud-assembly.ts';
import type { Permission } from './policies.ts';

export type Service = 'dynamodb' | 'sqs' | 's3' | 'ses' | 'kms';

const DYNAMODB_TARGET = 'DynamoDB_20120810.';

export function serviceOf({ headers, url }: LoopbackRequest): Service {
  const target = String(headers['x-amz-target'] ?? '');
  if (target.startsWith(DYNAMODB_TARGET)) return 'dynamodb';
  if (target.startsWith(SQS_TARGET)) return 'sqs';
  if (target.startsWith(KMS_TARGET)) return 'kms';
  return url === SEND_EMAIL_PATH ? 'ses' : 's3';
}

/** Returns the permissions of a request; all of them must be allowed. Throws if the request cannot be parsed. */
export function requiredPermissions(request: LoopbackRequest, arns: Arns): readonly Permission[] {
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  return {
    dynamodb: () => tablePermissions(operation, JSON.parse(String(request.body)), arns),
    sqs: () => [queuePermission(operation, JSON.parse(String(request.body)), arns)],
    s3: () => [objectPermission(request, arns)],
    ses: () => [sendingPermission(JSON.parse(String(request.body)), arns)],
    kms: () => [{ action: `kms:${operation}`, resource: JSON.parse(String(request.body)).KeyId }],
  }[serviceOf(request)]();
}

/** A transaction requires the permissions of its parts; a batch has its own action. */
function tablePermissions(operation: string, input: Json, arns: Arns): Permission[] {
  const onTable = (action: string, table: string, items: readonly Json[]) =>
    tablePermission(action, arns.table(table), items);
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
      return [queryPermission(input, arns)];
    default:
      return [onTable(operation, input.TableName, [input.Key ?? input.Item])];
  }
}

const tablePermission = (operation: string, resource: string, items: readonly Json[]): Permission => ({
  action: `dynamodb:${operation}`,
  resource,
  context: leadingKeys(items.flatMap((item) => item?.[tableDefinition.partitionKey]?.S ?? [])),
});

function queryPermission(input: Json, arns: Arns): Permission {
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

/** A batch requires the action for a single message. */
const queuePermission = (
  operation: string,
  { QueueUrl, QueueName, SourceArn }: Json,
  arns: Arns,
): Permission => ({
  action: `sqs:${operation.replace(/Batch$/, '')}`,
  resource: arns.queue(QueueName ?? /[^/:]*$/.exec(QueueUrl ?? SourceArn)?.[0]),
});

/**
 * The resource is the identity of the sender's domain, which SES uses for addresses that have no identity of their own.
 */
function sendingPermission({ FromEmailAddress }: Json, arns: Arns): Permission {
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

function objectPermission({ method, url }: LoopbackRequest, arns: Arns): Permission {
  const { bucket, key, query } = objectOf(url);
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

/**
 * Without this permission, S3 responds 403 instead of 404 if an object does not exist. The prefix is then the key of the
 * object (https://github.com/ceph/ceph/pull/68577).
 */
export function permissionToSeeMissing({ url }: LoopbackRequest, arns: Arns): Permission {
  const { bucket, key } = objectOf(url);
  return { action: 's3:ListBucket', resource: arns.bucket(bucket), context: { 's3:prefix': [key] } };
}

function objectOf(url: string): { bucket: string; key: string; query: string | undefined } {
  const [path = '', query] = url.split('?', 2);
  const [, bucket = '', ...rest] = path.split('/');
  return { bucket, key: decodeURIComponent(rest.join('/')), query };
}
