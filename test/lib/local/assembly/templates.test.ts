/** Reading templates: references, policies, and which permissions a request takes. */
import { describe, expect, test } from '@jest/globals';
import { assemblyOf, type Json } from '../../../../lib/local/assembly/cloud-assembly.ts';
import { counterparts } from '../../../../lib/local/assembly/counterparts.ts';
import { createGuard } from '../../../../lib/local/assembly/guard.ts';
import { createResolver } from '../../../../lib/local/assembly/intrinsics.ts';
import { permissionsOf } from '../../../../lib/local/assembly/policies.ts';
import type { LoopbackRequest } from '../../../../lib/local/loopback-server.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/deployed';

/** As `Fn::Sub` writes what it puts in. */
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

/** Two stacks, the second with these statements in the policy of its role. */
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

describe('a value of a template', () => {
  const { resolve } = stacks();

  test.each<[string, Json, Json]>([
    ['a literal', { a: ['b', 1, true, null] }, { a: ['b', 1, true, null] }],
    ['the URL of a queue', { Ref: 'Queue' }, 'http://127.0.0.1:1/checks'],
    ['its ARN', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:checks'],
    ['a parameter', { Ref: 'Version' }, '5'],
    ['a place', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['a join', { 'Fn::Join': ['-', ['a', { Ref: 'Version' }]] }, 'a-5'],
    ['a choice of a split', { 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b'] }] }, 'b'],
    ['a text with names in it', { 'Fn::Sub': [`${put('Version')}-${put('x')}`, { x: 'y' }] }, '5-y'],
    ['a text that only looks so', { 'Fn::Sub': put('!Version') }, put('Version')],
    ['an attribute in a text', { 'Fn::Sub': put('Queue.QueueName') }, 'checks'],
    ['an import', { 'Fn::ImportValue': 'data:arn' }, TABLE],
    ['an output of a stack', { 'Fn::GetStackOutput': { StackName: 'data', OutputName: 'TableArn' } }, TABLE],
  ])('is %s', (_title, value, expected) => {
    expect(resolve(value, 'service')).toEqual(expected);
  });

  test.each<[string, Json]>([
    ['Fn::If', { 'Fn::If': ['A', 'b', 'c'] }],
    ['nothing', { Ref: 'nothing' }],
    ['data:lost', { 'Fn::ImportValue': 'data:lost' }],
    ['lost', { 'Fn::GetStackOutput': { StackName: 'data', OutputName: 'lost' } }],
    ['Made.Version', { 'Fn::GetAtt': ['Made', 'Version'] }],
  ])('that is not understood is refused by name: %s', (name, value) => {
    expect(() => resolve(value, 'service')).toThrow(name);
  });
});

describe('a role', () => {
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
    ['nothing where nothing is said', [], false],
    ['what is said', [allow('dynamodb:GetItem', TABLE)], true],
    [
      'what is said elsewhere in a template',
      [allow(['x:y', 'dynamodb:getitem'], { 'Fn::ImportValue': 'data:arn' })],
      true,
    ],
    ['not another action', [allow('dynamodb:Get', TABLE)], false],
    ['not another resource', [allow('dynamodb:GetItem', `${TABLE}/index/gsi1`)], false],
    ['what a pattern covers', [allow('dynamodb:Get*', `${TABLE.slice(0, -1)}?`)], true],
    [
      'not what a point could stand for',
      [allow('dynamodb:GetItem', TABLE)],
      false,
      { ...get, resource: `${TABLE}x` },
    ],
    [
      'not what is denied as well',
      [allow('*', '*'), { Effect: 'Deny', Action: 'dynamodb:*', Resource: '*' }],
      false,
    ],
    ['keys that begin so', [allow('*', '*', onlyTests)], true, leading('TEST#1', 'RATE#1')],
    ['not a key that begins otherwise', [allow('*', '*', onlyTests)], false, leading('TEST#1', 'ORG#1')],
    ['all where no key is named', [allow('*', '*', onlyTests)], true, get],
    [
      'nothing where a condition has no value',
      [allow('*', '*', { Condition: { StringEquals: { 'ses:FromAddress': 'a@b.example' } } })],
      false,
    ],
  ])('may %s', (_title, statements, expected, need = get) => {
    expect(may(...statements)(need)).toBe(expected);
  });

  test.each<[string, Json]>([
    ['NotAction', { Effect: 'Allow', NotAction: 'x:y', Resource: '*' }],
    ['IpAddress', allow('*', '*', { Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } } })],
  ])('whose statement holds %s is refused', (name, statement) => {
    expect(() => may(statement)).toThrow(name);
  });
});

describe('a request at the endpoints', () => {
  const { arns } = stacks().assembly;

  const table = (operation: string, body: Json): Partial<LoopbackRequest> => ({
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: Buffer.from(JSON.stringify(body)),
  });
  const queue = (operation: string) => ({
    headers: { 'x-amz-target': `AmazonSQS.${operation}` },
    body: Buffer.from(JSON.stringify({ QueueUrl: 'http://127.0.0.1:1/000000000000/checks' })),
  });
  const key = { pk: { S: 'P' }, sk: { S: 'S' } };
  const INDEX = `${TABLE}/index/gsi1`;
  const TableName = 'deployed';

  test.each<[string, Partial<LoopbackRequest>, string[]]>([
    ['a read', table('GetItem', { TableName, Key: key }), [`dynamodb:GetItem ${TABLE} P`]],
    [
      'a transaction, as its parts',
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
      'a batch, as itself',
      table('BatchWriteItem', {
        RequestItems: {
          [TableName]: [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: { pk: { S: 'Q' } } } }],
        },
      }),
      [`dynamodb:BatchWriteItem ${TABLE} P,Q`],
    ],
    [
      'a query, by its partition',
      table('Query', {
        TableName,
        KeyConditionExpression: '#k = :k AND sk = :s',
        ExpressionAttributeNames: { '#k': 'pk' },
        ExpressionAttributeValues: { ':k': { S: 'P' }, ':s': { S: 'S' } },
      }),
      [`dynamodb:Query ${TABLE} P`],
    ],
    [
      'a query of the index, by the partition of that',
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
  ])('takes the permission for %s', async (_title, given, expected) => {
    const asked: string[] = [];
    const guard = createGuard(
      new Map([
        [
          'tested',
          ({ action, resource, context = {} }) => {
            const values = Object.values(context).flat().join();
            asked.push([action, resource, values].filter(Boolean).join(' '));
            return true;
          },
        ],
      ]),
      arns,
    );
    const request = requestBy('tested', given);
    expect(await guard(request, () => ({ status: 200 }))).toEqual({ status: 200 });
    expect(asked).toEqual(expected);
  });

  const refused = (given: Partial<LoopbackRequest>, caller = 'tested') =>
    createGuard(new Map([['tested', () => false]]), arns)(requestBy(caller, given), () => ({ status: 200 }));

  test.each<[string, Partial<LoopbackRequest>, number, string]>([
    ['DynamoDB', table('GetItem', { TableName, Key: key }), 400, '#AccessDeniedException'],
    ['SQS', queue('SendMessage'), 403, '#AccessDeniedException'],
    ['S3', { method: 'GET', url: '/mail/key' }, 403, '<Code>AccessDenied</Code>'],
  ])('without it is refused as %s does', async (_title, given, status, said) => {
    const answer = await refused(given);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(said);
  });

  test('of nobody known is refused, of the host itself answered', async () => {
    expect((await refused(queue('SendMessage'), 'stranger')).status).toBe(403);
    expect((await refused(queue('SendMessage'), 'local')).status).toBe(200);
  });

  test('for an object that is not there is forbidden, without the right to list', async () => {
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
