/**
 * The supported requests by operation. Unlisted parameters are rejected, so nothing that AWS would have done is
 * silently ignored.
 */
import * as z from 'zod/mini';
import { constraintViolated, notOffered } from './errors.ts';

const name = z.string().check(z.regex(/^[\w.-]{3,255}$/));
/** Attributes are passed on unchanged: a copy would cost time and lose an attribute called `__proto__`. */
const attributes = z.custom<Readonly<Record<string, unknown>>>(
  (input) => typeof input === 'object' && input !== null && !Array.isArray(input),
);
const expression = z.optional(z.string());
const flag = z.optional(z.boolean());
const count = z.optional(z.int().check(z.minimum(1)));
const capacity = { ReturnConsumedCapacity: z.optional(z.enum(['NONE', 'TOTAL'])) };
const placeholders = {
  ExpressionAttributeNames: z.optional(z.record(z.string(), z.string())),
  ExpressionAttributeValues: z.optional(attributes),
};

const conditional = {
  TableName: name,
  ConditionExpression: expression,
  ...placeholders,
};
const put = { ...conditional, Item: attributes };
const remove = { ...conditional, Key: attributes };
const update = { ...remove, UpdateExpression: expression };

const keySchema = z
  .array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))
  .check(z.minLength(1), z.maxLength(2));

export const CreateTable = z.strictObject({
  TableName: name,
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.literal('S') })),
  KeySchema: keySchema,
  BillingMode: z.literal('PAY_PER_REQUEST'),
  GlobalSecondaryIndexes: z.optional(
    z
      .array(
        z.strictObject({
          IndexName: name,
          KeySchema: keySchema,
          Projection: z.strictObject({ ProjectionType: z.literal('ALL') }),
        }),
      )
      .check(z.minLength(1), z.maxLength(20)),
  ),
});
export const TableName = z.strictObject({ TableName: name });
export const UpdateTimeToLive = z.strictObject({
  TableName: name,
  TimeToLiveSpecification: z.strictObject({
    AttributeName: z.string().check(z.minLength(1)),
    Enabled: z.boolean(),
  }),
});

export const PutItem = z.strictObject({ ...put, ...capacity });
export const DeleteItem = z.strictObject({ ...remove, ...capacity });
export const UpdateItem = z.strictObject({
  ...update,
  ...capacity,
  ReturnValues: z.optional(z.enum(['NONE', 'ALL_NEW'])),
});
export const GetItem = z.strictObject({
  TableName: name,
  Key: attributes,
  ConsistentRead: flag,
  ...capacity,
});

export const Query = z.strictObject({
  TableName: name,
  IndexName: z.optional(name),
  KeyConditionExpression: z.string(),
  FilterExpression: expression,
  ProjectionExpression: expression,
  ...placeholders,
  ScanIndexForward: flag,
  ConsistentRead: flag,
  Limit: count,
  ExclusiveStartKey: z.optional(attributes),
  ...capacity,
});

export const Scan = z.strictObject({
  TableName: name,
  FilterExpression: expression,
  ...placeholders,
  ConsistentRead: flag,
  Limit: count,
  ExclusiveStartKey: z.optional(attributes),
  ...capacity,
});

export const BatchGetItem = z.strictObject({
  RequestItems: z.record(
    name,
    z.strictObject({ Keys: z.array(attributes).check(z.minLength(1)), ConsistentRead: flag }),
  ),
  ...capacity,
});

export const BatchWriteItem = z.strictObject({
  RequestItems: z.record(
    name,
    z
      .array(
        z.strictObject({
          PutRequest: z.optional(z.strictObject({ Item: attributes })),
          DeleteRequest: z.optional(z.strictObject({ Key: attributes })),
        }),
      )
      .check(z.minLength(1)),
  ),
  ...capacity,
});

const MAX_ACTIONS = 100;
const actions = <Action extends z.core.$ZodType>(action: Action) =>
  z.array(action).check(z.minLength(1), z.maxLength(MAX_ACTIONS));
export const TransactWriteItems = z.strictObject({
  TransactItems: actions(
    z.strictObject({
      ConditionCheck: z.optional(z.strictObject({ ...remove, ConditionExpression: z.string() })),
      Put: z.optional(z.strictObject(put)),
      Delete: z.optional(z.strictObject(remove)),
      Update: z.optional(z.strictObject({ ...update, UpdateExpression: z.string() })),
    }),
  ),
  ClientRequestToken: z.optional(z.string().check(z.minLength(1), z.maxLength(36))),
  ...capacity,
});
/** Validates a request. Throws `InvalidRequest` with the first problem. */
export function parseRequest<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const { success, data, error } = z.safeParse(schema, input);
  if (success) return data;
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    throw notOffered(`the parameter ${issue.keys.join(', ')}`);
  }
  const [first = '', ...rest] = issue?.path.map(String) ?? [];
  const member = [first.charAt(0).toLowerCase() + first.slice(1), ...rest].join('.');
  if (issue?.code === 'invalid_value') {
    throw notOffered(`a ${member} other than ${issue.values.join(' and ')}`);
  }
  throw constraintViolated(member, issue ? constraintOf(issue) : '');
}

function constraintOf(issue: z.core.$ZodIssue): string {
  const size = 'origin' in issue && issue.origin === 'array' ? 'length' : 'value';
  switch (issue.code) {
    case 'too_small':
      return `Member must have ${size} greater than or equal to ${issue.minimum}`;
    case 'too_big':
      return `Member must have ${size} less than or equal to ${issue.maximum}`;
    case 'invalid_type':
      return `Member must be of type ${issue.expected}`;
    default:
      return 'Member must satisfy the pattern of its type';
  }
}
