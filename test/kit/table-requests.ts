/** What a service asks of its table, each kind of request once, in a form to record. */
import * as z from 'zod/mini';
import type { IamAuthorizer } from '../../lib/local/stores/loopback-server.ts';

const key = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
const request = z.object({
  Key: z.optional(key),
  Item: z.optional(z.looseObject(key.shape)),
  IndexName: z.optional(z.string()),
  KeyConditionExpression: z.optional(z.string()),
  UpdateExpression: z.optional(z.string()),
  ConditionExpression: z.optional(z.string()),
  FilterExpression: z.optional(z.string()),
  ProjectionExpression: z.optional(z.string()),
  ExpressionAttributeNames: z.optional(z.record(z.string(), z.string())),
  ExpressionAttributeValues: z.optional(
    z.record(z.string(), z.object({ S: z.optional(z.string()), N: z.optional(z.string()) })),
  ),
  ConsistentRead: z.optional(z.boolean()),
  ScanIndexForward: z.optional(z.boolean()),
  Limit: z.optional(z.number()),
});
const reads = z.object({ Keys: z.array(key), ConsistentRead: z.optional(z.boolean()) });
const writes = z.array(z.object({ PutRequest: z.optional(request), DeleteRequest: z.optional(request) }));
const batchOfReads = z.object({ RequestItems: z.record(z.string(), reads) });
const batchOfWrites = z.object({ RequestItems: z.record(z.string(), writes) });
const transaction = z.object({ TransactItems: z.array(z.record(z.string(), request)) });

/** `guard` is for the table. */
export function tableRequests() {
  const seen = new Set<string>();
  const guard: IamAuthorizer = (sent, answer) => {
    const [, operation = ''] = String(sent.headers['x-amz-target']).split('.');
    for (const [name, one] of requestsIn(operation, JSON.parse(String(sent.body))))
      seen.add(shown(name, one));
    return answer(sent);
  };
  return { guard, lines: (): string => [...seen].toSorted().join('\n') };
}

function requestsIn(
  operation: string,
  body: unknown,
): (readonly [name: string, of: z.infer<typeof request>])[] {
  if (operation === 'BatchGetItem')
    return Object.values(batchOfReads.parse(body).RequestItems).flatMap(({ Keys, ConsistentRead }) =>
      Keys.map((Key) => ['Get', { Key, ConsistentRead }] as const),
    );
  if (operation === 'BatchWriteItem')
    return Object.values(batchOfWrites.parse(body).RequestItems)
      .flat()
      .flatMap((write) => Object.entries(write));
  if (operation.startsWith('Transact'))
    return transaction.parse(body).TransactItems.flatMap((item) => Object.entries(item));
  return [[operation, request.parse(body)]];
}

function shown(operation: string, of: z.infer<typeof request>): string {
  const named = (expression: string) =>
    expression
      .replaceAll(/#\w+/g, (name) => kindOf(of.ExpressionAttributeNames?.[name] ?? name))
      .replaceAll(/, \*#\*(?=, \*#\*)/g, '')
      .replaceAll(/\s+/g, ' ');
  const given = (name: string) => of.ExpressionAttributeValues?.[name];
  const keys = (expression: string) =>
    named(expression).replaceAll(/:\w+/g, (name) => kindOf(given(name)?.S ?? name));
  /** Numbers are limits, unless they are times or what was read before. */
  const limits = (expression: string) =>
    named(expression).replaceAll(/:\w+(?<!_before)\b/g, (name) => {
      const { N = '' } = given(name) ?? {};
      return N === '' || Number(N) > 1_000_000 ? name : N;
    });
  const { pk, sk } = of.Key ?? of.Item ?? {};
  const parts = {
    '': pk && sk && `${kindOf(pk.S)} ${kindOf(sk.S)}`,
    in: of.IndexName,
    where: of.KeyConditionExpression && keys(of.KeyConditionExpression),
    of: of.Item && [...new Set(Object.keys(of.Item).map(kindOf))].join(' '),
    to: of.UpdateExpression && named(of.UpdateExpression).replaceAll(/:(?:p?\d+|k[\w-]{16})(?![\w-])/g, ':*'),
    if: of.ConditionExpression && limits(of.ConditionExpression),
    having: of.FilterExpression && limits(of.FilterExpression),
    only: of.ProjectionExpression && named(of.ProjectionExpression),
    consistent: of.ConsistentRead && '',
    backward: of.ScanIndexForward === false && '',
    limit: of.Limit,
  };
  const said = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [`${name} ${value}`.trim()],
  );
  return [operation.replace(/Item$|Request$/, ''), ...said].join(' | ');
}

/** A key or the name of an attribute, without what is of one domain, day, or the like. */
const kindOf = (text: string): string =>
  text.replaceAll(
    /(?<=#)[^#]*|[\da-f-]{12,}|[\dT:.-]+Z|[\w-]{22,}|^k[\w-]{16}$|^p\d+$|\d{4}-\d\d-\d\d/g,
    '*',
  );
