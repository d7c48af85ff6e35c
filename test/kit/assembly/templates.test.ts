/** Templates: references, policies, and the permissions that requests require. */
import { describe, expect, test } from '@jest/globals';
import type { LoopbackRequest } from '../../../lib/local/stores/loopback-server.ts';
import { assemblyOf, type Json } from './cloud-assembly.ts';
import { counterparts } from './counterparts.ts';
import { createGuard } from './guard.ts';
import { createResolver } from './intrinsics.ts';
import { permissionsOf } from './policies.ts';

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
  const assembly = assemblyOf(
    new Map(
      Object.entries({ data, service }).map(([name, template]) => [
        name,
        { name, template, assets: new Map() },
      ]),
    ),
  );
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

  test.each<[string, Json[], boolean, (typeof get & { context?: Record<string, string[]> })?]>([
    ['nothing without a statement', [], false],
    ['what a statement allows', [allow('dynamodb:GetItem', TABLE)], true],
    [
      'what a statement with an imported resource allows',
      [allow(['x:y', 'dynamodb:getitem'], { 'Fn::ImportValue': 'data:arn' })],
      true,
    ],
    ['not another action', [allow('dynamodb:Get', TABLE)], false],
    ['not another resource', [allow('dynamodb:GetItem', `${TABLE}/index/gsi1`)], false],
    ['what a pattern matches', [allow('dynamodb:Get*', `${TABLE.slice(0, -1)}?`)], true],
    [
      'not what a dot would match in a regular expression',
      [allow('dynamodb:GetItem', TABLE)],
      false,
      { ...get, resource: `${TABLE}x` },
    ],
    [
      'not what another statement denies',
      [allow('*', '*'), { Effect: 'Deny', Action: 'dynamodb:*', Resource: '*' }],
      false,
    ],
    [
      'a leading key that matches the condition',
      [allow('*', '*', onlyTests)],
      true,
      leading('TEST#1', 'RATE#1'),
    ],
    [
      'not a leading key that does not match the condition',
      [allow('*', '*', onlyTests)],
      false,
      leading('TEST#1', 'ORG#1'),
    ],
    ['any action without leading keys', [allow('*', '*', onlyTests)], true, get],
    [
      'nothing if the key of a condition has no value',
      [allow('*', '*', { Condition: { StringEquals: { 'ses:FromAddress': 'a@b.example' } } })],
      false,
    ],
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
  const INDEX = `${TABLE}/index/gsi1`;
  const TableName = 'deployed';

  test.each<[string, Partial<LoopbackRequest>, string[]]>([
    ['a read', table('GetItem', { TableName, Key: key }), [`dynamodb:GetItem ${TABLE} P`]],
    [
      'the parts of a transaction',
      table('TransactWriteItems', {
        TransactItems: [
          { Put: { TableName, Item: { ...key, pk: { S: 'Q' } } } },
          { ConditionCheck: { TableName, Key: key } },
          { Update: { TableName, Key: key } },
          { Delete: { TableName, Key: key } },
        ],
      }),
      ['PutItem', 'ConditionCheckItem', 'UpdateItem', 'DeleteItem'].map(
        (part) => `dynamodb:${part} ${TABLE} ${part === 'PutItem' ? 'Q' : 'P'}`,
      ),
    ],
    [
      'a batch',
      table('BatchWriteItem', {
        RequestItems: {
          [TableName]: [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: { pk: { S: 'Q' } } } }],
        },
      }),
      [`dynamodb:BatchWriteItem ${TABLE} P,Q`],
    ],
    [
      'a query of a partition',
      table('Query', {
        TableName,
        KeyConditionExpression: '#k = :k AND sk = :s',
        ExpressionAttributeNames: { '#k': 'pk' },
        ExpressionAttributeValues: { ':k': { S: 'P' }, ':s': { S: 'S' } },
      }),
      [`dynamodb:Query ${TABLE} P`],
    ],
    [
      'a query of an index partition',
      table('Query', {
        TableName,
        IndexName: 'gsi1',
        KeyConditionExpression: 'gsi1pk = :k AND gsi1sk < :s',
        ExpressionAttributeValues: { ':k': { S: 'D' }, ':s': { S: 'S' } },
      }),
      [`dynamodb:Query ${INDEX} D`],
    ],
    ['a message', queue('SendMessage'), ['sqs:SendMessage arn:aws:sqs:us-east-1:000000000000:checks']],
    ['messages', queue('SendMessageBatch'), ['sqs:SendMessage arn:aws:sqs:us-east-1:000000000000:checks']],
    [
      'a move of dead letters',
      queue('StartMessageMoveTask', { SourceArn: 'arn:aws:sqs:us-east-1:000000000000:checks-dead-letters' }),
      ['sqs:StartMessageMoveTask arn:aws:sqs:us-east-1:000000000000:checks-dead-letters'],
    ],
    [
      'an object',
      { method: 'GET', url: '/mail/a%2Fb?x-id=GetObject' },
      ['s3:GetObject arn:aws:s3:::mail/a/b'],
    ],
    ['a list', { method: 'GET', url: '/mail?list-type=2&prefix=a' }, ['s3:ListBucket arn:aws:s3:::mail a']],
    [
      'a mail',
      { url: '/v2/email/outbound-emails', body: Buffer.from('{"FromEmailAddress":"A <a@b.example>"}') },
      ['ses:SendEmail arn:aws:ses:us-east-1:000000000000:identity/b.example a@b.example'],
    ],
  ])('requires the permission for %s', async (_title, given, expected) => {
    const checked: string[] = [];
    const guard = createGuard(
      new Map([
        [
          'tested',
          ({ action, resource, context = {} }) => {
            const values = Object.values(context).flat().join();
            checked.push([action, resource, values].filter(Boolean).join(' '));
            return true;
          },
        ],
      ]),
      arns,
    );
    const request = requestBy('tested', given);
    expect(await guard(request, () => ({ status: 200 }))).toEqual({ status: 200 });
    expect(checked).toEqual(expected);
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
