/** Templates: references, policies, and the permissions that requests require. */
import { describe, expect, test } from '@jest/globals';
import type { LoopbackRequest } from '../../../lib/local/stores/loopback-server.ts';
import { assemblyOf, type Json } from './cloud-assembly.ts';
import { counterparts } from './counterparts.ts';
import { createGuard } from './guard.ts';
import { createResolver } from './intrinsics.ts';
import { type IsAllowed, permissionsOf } from './policies.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/deployed';

/** A placeholder in the syntax of `Fn::Sub`. */
const put = (name: string) => `\${${name}}`;

const data = {
  Resources: { Table: { Type: 'AWS::DynamoDB::GlobalTable' }, Mail: { Type: 'AWS::S3::Bucket' } },
  Outputs: {
    TableArn: {
      Value: { 'Fn::GetAtt': ['Table', 'Arn'] },
      Export: { Name: { 'Fn::Sub': `${put('AWS::StackName')}:arn` } },
    },
  },
};

/** Returns two stacks; the policy of the role in the second one has these statements. */
function stacks(statements: readonly Json[] = []) {
  const service = {
    Parameters: { Version: { Default: '5' } },
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue' },
      Made: { Type: 'AWS::Lambda::Function' },
      Role: { Type: 'AWS::IAM::Role' },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement: statements } },
      },
    },
  };
  const stack = ([name, template]: [string, Json]) => [name, { name, template, assets: new Map() }] as const;
  const assembly = assemblyOf(new Map(Object.entries({ data, service }).map(stack)));
  const resolve = createResolver(
    assembly,
    counterparts(
      {
        table: 'deployed',
        bucket: ({ id }) => id.toLowerCase(),
        queue: () => 'checks',
        queueUrl: (name) => `http://127.0.0.1:1/${name}`,
        apiUrl: () => 'http://localhost:3000',
      },
      assembly.arns,
    ),
  );
  return { assembly, resolve };
}

describe('a template value', () => {
  const { resolve } = stacks();

  test.each<[string, Json, Json]>([
    ['a literal', { a: ['b', 1, true, null] }, { a: ['b', 1, true, null] }],
    ['the URL of a queue', { Ref: 'Queue' }, 'http://127.0.0.1:1/checks'],
    ['the ARN of a queue', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:checks'],
    ['a parameter', { Ref: 'Version' }, '5'],
    ['the region', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['a join', { 'Fn::Join': ['-', ['a', { Ref: 'Version' }]] }, 'a-5'],
    ['a selection from a split', { 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b'] }] }, 'b'],
    ['a substitution', { 'Fn::Sub': [`${put('Version')}-${put('x')}`, { x: 'y' }] }, '5-y'],
    ['an escaped substitution', { 'Fn::Sub': put('!Version') }, put('Version')],
    ['an attribute in a substitution', { 'Fn::Sub': put('Queue.QueueName') }, 'checks'],
    ['an import', { 'Fn::ImportValue': 'data:arn' }, TABLE],
    ['an output of a stack', { 'Fn::GetStackOutput': { StackName: 'data', OutputName: 'TableArn' } }, TABLE],
  ])('resolves %s', (_title, value, expected) => {
    expect(resolve(value, 'service')).toEqual(expected);
  });

  test.each<[string, Json]>([
    ['Fn::If', { 'Fn::If': ['A', 'b', 'c'] }],
    ['nothing', { Ref: 'nothing' }],
    ['data:lost', { 'Fn::ImportValue': 'data:lost' }],
    ['lost', { 'Fn::GetStackOutput': { StackName: 'data', OutputName: 'lost' } }],
    ['Made.Version', { 'Fn::GetAtt': ['Made', 'Version'] }],
  ])('is rejected if it is unsupported or unknown: %s', (name, value) => {
    expect(() => resolve(value, 'service')).toThrow(name);
  });
});

describe('the permissions of a role', () => {
  const may = (...statements: Json[]) => {
    const { assembly, resolve } = stacks(statements);
    return permissionsOf(resolve({ 'Fn::GetAtt': ['Role', 'Arn'] }, 'service'), assembly, resolve);
  };
  const get = { action: 'dynamodb:GetItem', resource: TABLE };
  const allow = (Action: Json, Resource: Json, others = {}) => ({
    Effect: 'Allow',
    Action,
    Resource,
    ...others,
  });
  const leading = (...values: string[]) => ({ ...get, context: { 'dynamodb:LeadingKeys': values } });
  const onlyTests = {
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['TEST#*', 'RATE#?'] } },
  };

  const imported = { 'Fn::ImportValue': 'data:arn' };
  const deny = { Effect: 'Deny', Action: 'dynamodb:*', Resource: '*' };
  const bySender = { Condition: { StringEquals: { 'ses:FromAddress': 'a@b.example' } } };

  test.each<[string, Json[], boolean, (typeof get & { context?: Record<string, string[]> })?]>([
    ['nothing without a statement', [], false],
    ['what a statement allows', [allow('dynamodb:GetItem', TABLE)], true],
    ['what one with an imported resource allows', [allow(['x:y', 'dynamodb:getitem'], imported)], true],
    ['not another action', [allow('dynamodb:Get', TABLE)], false],
    ['not another resource', [allow('dynamodb:GetItem', `${TABLE}/index/gsi1`)], false],
    ['what a pattern matches', [allow('dynamodb:Get*', `${TABLE.slice(0, -1)}?`)], true],
    ['not what only begins so', [allow('dynamodb:GetItem', TABLE)], false, { ...get, resource: `${TABLE}x` }],
    ['not what another statement denies', [allow('*', '*'), deny], false],
    ['a leading key of the condition', [allow('*', '*', onlyTests)], true, leading('TEST#1', 'RATE#1')],
    ['no other leading key', [allow('*', '*', onlyTests)], false, leading('TEST#1', 'ORG#1')],
    ['any action without leading keys', [allow('*', '*', onlyTests)], true, get],
    ['nothing if the key of a condition has no value', [allow('*', '*', bySender)], false],
  ])('allow %s', (_title, statements, expected, need = get) => {
    expect(may(...statements)(need)).toBe(expected);
  });

  test.each<[string, Json]>([
    ['NotAction', { Effect: 'Allow', NotAction: 'x:y', Resource: '*' }],
    ['IpAddress', allow('*', '*', { Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } } })],
  ])('cannot contain %s', (name, statement) => {
    expect(() => may(statement)).toThrow(name);
  });
});

describe('a request to the embedded endpoints', () => {
  const { arns } = stacks().assembly;

  const table = (operation: string, body: Json): Partial<LoopbackRequest> => ({
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: Buffer.from(JSON.stringify(body)),
  });
  const queue = (operation: string, body: Json = { QueueUrl: 'http://127.0.0.1:1/000000000000/checks' }) => ({
    headers: { 'x-amz-target': `AmazonSQS.${operation}` },
    body: Buffer.from(JSON.stringify(body)),
  });
  const key = { pk: { S: 'P' }, sk: { S: 'S' } };
  const TableName = 'deployed';

  const parts = [
    { Put: { TableName, Item: { ...key, pk: { S: 'Q' } } } },
    ...['ConditionCheck', 'Update', 'Delete'].map((part) => ({ [part]: { TableName, Key: key } })),
  ];
  const writes = [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: { pk: { S: 'Q' } } } }];
  const query = (KeyConditionExpression: string, partition: string, more: object) =>
    table('Query', {
      ...{ TableName, KeyConditionExpression, ...more },
      ExpressionAttributeValues: { ':k': { S: partition }, ':s': { S: 'S' } },
    });
  const ofPartition = query('#k = :k AND sk = :s', 'P', { ExpressionAttributeNames: { '#k': 'pk' } });
  const ofIndex = query('gsi1pk = :k AND gsi1sk < :s', 'D', { IndexName: 'gsi1' });
  const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:checks';
  const move = queue('StartMessageMoveTask', { SourceArn: `${QUEUE}-dead-letters` });
  const mail = {
    url: '/v2/email/outbound-emails',
    body: Buffer.from('{"FromEmailAddress":"A <a@b.example>"}'),
  };

  test.each<[string, Partial<LoopbackRequest>, string | string[]]>([
    ['a read', table('GetItem', { TableName, Key: key }), `dynamodb:GetItem ${TABLE} P`],
    [
      'the parts of a transaction',
      table('TransactWriteItems', { TransactItems: parts }),
      ['PutItem', 'ConditionCheckItem', 'UpdateItem', 'DeleteItem'].map(
        (part) => `dynamodb:${part} ${TABLE} ${part === 'PutItem' ? 'Q' : 'P'}`,
      ),
    ],
    [
      'a batch',
      table('BatchWriteItem', { RequestItems: { [TableName]: writes } }),
      `dynamodb:BatchWriteItem ${TABLE} P,Q`,
    ],
    ['a query of a partition', ofPartition, `dynamodb:Query ${TABLE} P`],
    ['a query of an index partition', ofIndex, `dynamodb:Query ${TABLE}/index/gsi1 D`],
    ['a message', queue('SendMessage'), `sqs:SendMessage ${QUEUE}`],
    ['messages', queue('SendMessageBatch'), `sqs:SendMessage ${QUEUE}`],
    ['a move of dead letters', move, `sqs:StartMessageMoveTask ${QUEUE}-dead-letters`],
    ['an object', { method: 'GET', url: '/mail/a%2Fb?x-id=GetObject' }, 's3:GetObject arn:aws:s3:::mail/a/b'],
    ['a list', { method: 'GET', url: '/mail?list-type=2&prefix=a' }, 's3:ListBucket arn:aws:s3:::mail a'],
    ['a mail', mail, 'ses:SendEmail arn:aws:ses:us-east-1:000000000000:identity/b.example a@b.example'],
  ])('requires the permission for %s', async (_title, given, expected) => {
    const checked: string[] = [];
    const check: IsAllowed = ({ action, resource, context = {} }) => {
      const values = Object.values(context).flat().join();
      return checked.push([action, resource, values].filter(Boolean).join(' ')) > 0;
    };
    const guard = createGuard(new Map([['tested', check]]), arns);
    const request = requestBy('tested', given);
    expect(await guard(request, () => ({ status: 200 }))).toEqual({ status: 200 });
    expect(checked).toEqual([expected].flat());
  });

  const refused = (given: Partial<LoopbackRequest>, caller = 'tested') =>
    createGuard(new Map([['tested', () => false]]), arns)(requestBy(caller, given), () => ({ status: 200 }));

  test.each<[string, Partial<LoopbackRequest>, number, string]>([
    ['DynamoDB', table('GetItem', { TableName, Key: key }), 400, '#AccessDeniedException'],
    ['SQS', queue('SendMessage'), 403, '#AccessDeniedException'],
    ['S3', { method: 'GET', url: '/mail/key' }, 403, '<Code>AccessDenied</Code>'],
  ])('without the permission gets the error of %s', async (_title, given, status, said) => {
    const answer = await refused(given);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(said);
  });

  test('of an unknown caller is denied, and one of the host is allowed', async () => {
    expect((await refused(queue('SendMessage'), 'stranger')).status).toBe(403);
    expect((await refused(queue('SendMessage'), 'local')).status).toBe(200);
  });

  test('for a missing object gets 403 without the permission to list', async () => {
    const missing = (mayList: boolean) =>
      createGuard(new Map([['tested', ({ action }) => mayList || action === 's3:GetObject']]), arns)(
        requestBy('tested', { method: 'GET', url: '/mail/key' }),
        () => ({ status: 404 }),
      );
    expect([(await missing(true)).status, (await missing(false)).status]).toEqual([404, 403]);
  });
});

function requestBy(caller: string, given: Partial<LoopbackRequest>): LoopbackRequest {
  const { headers = {}, ...others } = given;
  const authorization = `AWS4-HMAC-SHA256 Credential=${caller}/20260101/us-east-1/x/aws4_request, Signature=0`;
  return {
    method: 'POST',
    url: '/',
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
    ...others,
    headers: { authorization, ...headers },
  };
}
