import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { routes } from '../../../functions/routes.ts';
import { queues, triggers } from '../../../functions/triggers.ts';
import { type Bundles, bundle, handlers } from '../../../lib/cloud/bundle.ts';
import { readSettings } from '../../../lib/cloud/config.ts';
import { MonitorStack } from '../../../lib/cloud/stack.ts';
import { environmentSchema } from '../../../shared/runtime/config.ts';
import type { Trigger } from '../../../shared/runtime/trigger.ts';
import { tableDefinition } from '../../../shared/store/keys.ts';
import { Deployed } from './deployed.ts';

/** API Gateway gives up on an integration after 30 s; a function must have answered before. */
const GATEWAY_SECONDS = 30;

const cdkJson = JSON.parse(await readFile(new URL('../../../cdk.json', import.meta.url), 'utf8'));
const prodContext = { stage: 'prod', reportsDomain: 'reports.acme.org', testerDomain: 'tester.acme.org' };

let folder: string;
let bundles: Bundles;
let dev: Deployed;
let prod: Deployed;

beforeAll(async () => {
  // The template validator of CDK takes seconds, and is part of every synth by hand.
  process.env.CDK_VALIDATION = 'false';
  folder = await mkdtemp(join(tmpdir(), 'stack-'));
  bundles = await bundle(handlers, folder);
  dev = synthesize({});
  prod = synthesize({ ...prodContext, hostUrl: 'https://monitor.acme.org', domainLimit: 7 });
});

afterAll(() => rm(folder, { recursive: true }));

function synthesize(context: Record<string, unknown>, made: Bundles = bundles): Deployed {
  const app = new App({ context: { ...cdkJson.context, ...context } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stack = new MonitorStack(app, readSettings(app.node.getAllContext()), made);
  return new Deployed(app.synth().getStackByName(stack.stackName).template);
}

const rows = [...Object.values(routes), ...Object.values(triggers)];

describe('the API', () => {
  test('has the routes of the table, and one for everything else', () => {
    const keys = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
    expect([...dev.routes().keys()].toSorted()).toEqual([...keys, '$default'].toSorted());
  });

  test.each(Object.values(routes).map((row) => [`${row.method} ${row.path}`, row] as const))(
    '%s reaches its own function',
    (key, row) => {
      expect(dev.routes().get(key)).toMatchObject({
        Description: row.summary,
        MemorySize: row.memoryMegabytes,
        Timeout: row.timeoutSeconds,
      });
      expect(row.timeoutSeconds).toBeLessThan(GATEWAY_SECONDS);
    },
  );

  test('is throttled, and logs nothing that a secret could be in', () => {
    const [stage] = dev.all('AWS::ApiGatewayV2::Stage');
    expect(stage).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
    });
    const { Format } = (stage as { AccessLogSettings: { Format: string } }).AccessLogSettings;
    expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey', status: '$context.status' });
    expect(Format).not.toMatch(
      /context\.(?:path|authorizer|error\.messageString)|querystring|header|protocol/i,
    );
  });

  test('tells its address and the names of the table and the bucket', () => {
    expect(dev.outputs()).toEqual(['ApiUrl', 'TableName', 'MailBucketName']);
  });
});

describe('the work behind it', () => {
  const consumers = Object.values<Trigger>(triggers).flatMap(({ source, ...row }) =>
    source.kind === 'queue' ? [{ ...row, ...source }] : [],
  );

  test('has every queue with its dead letters, and nothing else', () => {
    expect(consumers.map((row) => row.queue).toSorted()).toEqual(Object.keys(queues).toSorted());
    expect(dev.all('AWS::SQS::Queue')).toHaveLength(2 * consumers.length);
  });

  test.each(consumers)('$name works on the queue $queue, each message by itself', (row) => {
    const { mapping, queue, deadLetters } = dev.work(row.summary);
    expect(mapping).toMatchObject({
      BatchSize: row.batchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: expect.any(Number) },
    });
    expect(queue).toMatchObject({
      VisibilityTimeout: row.timeoutSeconds * 6,
      RedrivePolicy: { maxReceiveCount: row.maxReceiveCount },
    });
    expect(deadLetters).toMatchObject({ MessageRetentionPeriod: 14 * 24 * 3600 });
  });

  test('has every schedule', () => {
    const expected = Object.values<Trigger>(triggers).flatMap(({ source, summary }) =>
      source.kind === 'schedule' ? [[summary, source.everySeconds]] : [],
    );
    expect(dev.schedules()).toEqual(expected);
  });
});

describe('the table', () => {
  test('has the keys, the index and the TTL of its definition, and is paid by request', () => {
    const { partitionKey, sortKey, timeToLive, index } = tableDefinition;
    const schema = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    expect(dev.all('AWS::DynamoDB::GlobalTable')).toEqual([
      expect.objectContaining({
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: schema(partitionKey, sortKey),
        GlobalSecondaryIndexes: [
          {
            IndexName: index.name,
            KeySchema: schema(index.partitionKey, index.sortKey),
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
      }),
    ]);
  });

  test.each([
    ['prod keeps it whatever happens', () => prod, true, 'Retain'],
    ['dev leaves nothing behind', () => dev, false, 'Delete'],
  ] as const)('%s', (_title, deployed, isProtected, policy) => {
    const [table] = deployed().resources('AWS::DynamoDB::GlobalTable');
    expect(table).toMatchObject({
      DeletionPolicy: policy,
      UpdateReplacePolicy: policy,
      Properties: {
        Replicas: [
          {
            DeletionProtectionEnabled: isProtected,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: isProtected },
          },
        ],
      },
    });
  });
});

describe('the mail', () => {
  test('lies in a bucket that nobody else reads, encrypted, and reached by TLS only', () => {
    expect(dev.all('AWS::S3::Bucket')).toEqual([
      expect.objectContaining({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: expect.anything(),
      }),
    ]);
    expect(JSON.stringify(dev.all('AWS::S3::BucketPolicy'))).toContain('"aws:SecureTransport":"false"');
  });

  test('is kept as long as what was read from it', () => {
    const expiry = (deployed: Deployed) =>
      deployed.all('AWS::S3::Bucket').map((bucket) => {
        const { Rules } = bucket.LifecycleConfiguration as { Rules: { ExpirationInDays?: number }[] };
        return Rules.map(({ ExpirationInDays }) => ExpirationInDays);
      });
    expect(expiry(dev)).toEqual([[undefined]]);
    expect(expiry(synthesize({ ...prodContext, retentionDays: 90 }))).toEqual([[91]]);
  });
});

const log = ['logs:CreateLogStream on its log', 'logs:PutLogEvents on its log'];
const tableReading = [
  'dynamodb:GetItem on the table',
  'dynamodb:Query on the table',
  'dynamodb:Query on the table/index/gsi1',
];
const table = [
  ...['BatchWriteItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(
    (action) => `dynamodb:${action} on the table`,
  ),
  'dynamodb:Query on the table/index/gsi1',
];
const sendDeletions = ['sqs:SendMessage on deletions'];
const sendChecks = ['sqs:SendMessage on checks'];
const receive = (queue: string) =>
  ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'].map(
    (action) => `sqs:${action} on ${queue}`,
  );
const readMail = ['s3:GetObject on the mail/*', 's3:ListBucket on the mail'];
const deleteMail = ['s3:DeleteObject on the mail/*'];

/** What each function may do in AWS: all of it. */
const permissions: Readonly<Record<string, readonly string[]>> = {
  listDomains: [...log, ...table],
  createDomain: [...log, ...table],
  getDomain: [...log, ...table],
  updateDomain: [...log, ...table],
  deleteDomain: [...log, ...table, ...sendDeletions],
  getVerification: [...log, ...table],
  verifyDomain: [...log, ...table],
  listDmarcReports: [...log, ...table],
  listTlsReports: [...log, ...table],
  listDmarcSources: [...log, ...table],
  getDmarcTimeline: [...log, ...table],
  runChecks: [...log, ...table, ...sendChecks],
  getScore: [...log, ...table],
  getScoreHistory: [...log, ...table],
  getChecksHistory: [...log, ...table],
  listAlerts: [...log, ...table],
  markAlertRead: [...log, ...table],
  checkSpf: [...log, ...table],
  saveSpfCheck: [...log, ...table],
  getSpfShare: [...log, ...tableReading],
  createTestSession: [...log, ...table],
  getTestSession: [...log, ...table],
  startTest: [...log, ...table],
  getTestPage: [...log, ...tableReading],
  home: [...log, ...table],
  getOpenApi: log,
  drainDeletedDomain: [...log, ...table, ...sendDeletions, ...receive('deletions'), ...deleteMail],
  receiveReportMail: [...log, ...table, ...receive('reports'), ...readMail, ...deleteMail],
  receiveTestMail: [...log, ...table, ...receive('tester'), ...readMail, ...deleteMail],
  resumeDeletions: [...log, ...table, ...sendDeletions],
  sweepDueDomains: [...log, ...table, ...sendChecks, 'sqs:GetQueueAttributes on checks'],
  checkDomain: [...log, ...table, ...sendChecks, ...receive('checks')],
};

describe('the functions', () => {
  test('are one for each row of both tables, and one for everything else', () => {
    const summaries = dev.all('AWS::Lambda::Function').map((made) => made.Description);
    expect(summaries.toSorted()).toEqual(
      [...rows.map((row) => row.summary), 'Answers what no route takes'].toSorted(),
    );
  });

  test.each(rows)('$name may do this and no more', ({ name, summary }) => {
    expect(dev.permissions(summary)).toEqual(permissions[name]?.toSorted());
  });

  test('may never scan, nor whatever there is', () => {
    const actions = dev.actions();
    expect(actions.filter((action) => action.includes('*') || action.includes('Scan'))).toEqual([]);
    expect(actions.length).toBeGreaterThan(rows.length);
  });

  test('run on Node 24 and arm64, each with a role and a log of its own that ends', () => {
    const made = dev.all('AWS::Lambda::Function');
    for (const one of made) expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    const own = (value: unknown) => new Set(made.map((one) => JSON.stringify(one[value as string])));
    expect(own('Role').size).toBe(made.length);
    expect(own('LoggingConfig').size).toBe(made.length);
    for (const kept of dev.all('AWS::Logs::LogGroup')) expect(kept.RetentionInDays).toBe(7);
  });

  test.each(rows)(
    '$name is told only keys of the environment schema, and only what it reads',
    ({ handler, summary }) => {
      const told = Object.keys(prod.environment(summary));
      expect(Object.keys(environmentSchema.shape)).toEqual(expect.arrayContaining(told));
      expect([...(bundles.get(handler)?.reads ?? [])]).toEqual(expect.arrayContaining(told));
    },
  );

  test.each([
    [
      'createDomain',
      { DOMAIN_LIMIT: '7', REPORTS_DOMAIN: 'reports.acme.org', TABLE_NAME: { Ref: expect.anything() } },
    ],
    ['verifyDomain', { DNS_SERVERS: '1.1.1.1,8.8.8.8,9.9.9.9' }],
    ['getOpenApi', { HOST_URL: 'https://monitor.acme.org' }],
    ['deleteDomain', { DELETIONS_QUEUE_URL: { Ref: expect.anything() } }],
  ] as const)('%s is told %j', (name, told) => {
    expect(prod.environment(routes[name].summary)).toMatchObject(told);
  });

  test("are told the API's own address where no other is given", () => {
    expect(dev.environment(routes.getOpenApi.summary).HOST_URL).toEqual(dev.outputValue('ApiUrl'));
  });
});

test('the same sources give the same template and the same assets', async () => {
  const again = await bundle(handlers, join(folder, 'again'));
  expect(synthesize({}, again).template).toEqual(dev.template);
});

test('a handler without a bundle is refused by name', () => {
  const without = new Map([...bundles].filter(([handler]) => handler !== 'domains/list'));
  expect(() => synthesize({}, without)).toThrow('listDomains: there is no bundle of domains/list');
});
