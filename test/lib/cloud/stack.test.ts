import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { bundleAll } from '../../../lib/cloud/bundle.ts';
import type { environmentKeys } from '../../../lib/cloud/config.ts';
import type { Bundles } from '../../../lib/cloud/handlers.ts';
import { environmentSchema } from '../../../shared/runtime/config/config.ts';
import { methodsOf, pathsOf } from '../../../shared/runtime/http/route.ts';
import { eventsOf, queues, type Trigger } from '../../../shared/runtime/workers/trigger.ts';
import { type Deployed, tableCapability } from './deployed.ts';
import { prod as prodContext, synthesize } from './synthesize.ts';

/** API Gateway ends an integration after 30 s; a function must respond before. */
const GATEWAY_SECONDS = 30;

/** Synthesis copies the code of every function and checks every template, which is slow on a busy machine. */
const SYNTH_MILLISECONDS = 180_000;

/** A value for every context key that becomes an environment key. */
const everyKey: Readonly<Record<keyof typeof environmentKeys, string | number>> = {
  hostUrl: 'https://monitor.acme.org',
  reportsDomain: 'reports.acme.org',
  testerDomain: 'tester.acme.org',
  serviceLabel: 'acme',
  oidcIssuer: 'https://login.acme.org',
  oidcClientId: 'monitor',
  dnsServers: '192.0.2.53',
  dnssecTrustAnchors: `. IN DS 20326 8 2 ${'E0'.repeat(32)}`,
  rdapBootstrap: 'https://rdap.acme.org/dns.json',
  blocklists: 'combined=zen.acme.org',
  watchBlocklists: 'on',
  domainBlocklists: 'dbl.acme.org',
  unauthenticatedReports: 'set-aside',
  checkIntervalSeconds: 3600,
  domainLimit: 7,
  scoreThreshold: 80,
  apiRatePerMinute: 60,
  toolRatePerMinute: 6,
  publicChecks: 'off',
  securityContact: 'https://monitor.acme.org/security',
  retentionDays: 90,
  logLevel: 'warn',
};

/** Keys that have no use in the cloud: they direct probes to the example internet, or name files of one machine. */
const localOnly: readonly string[] = [
  'MAIL_TRANSPORT',
  'PRIVATE_ADDRESSES',
  'DIAL_MAP',
  'EXTRA_CA_FILE',
  'BIMI_TRUST_ANCHORS_FILE',
  'IP_DATA',
  'EVENTS_FILE',
];

/**
 * Keys that name a resource, and the capability to use it. A function without the capability does not get the key.
 */
const namesOf: Readonly<Record<string, RegExp>> = {
  TABLE_NAME: tableCapability,
  MAIL_BUCKET: /^(?:report|test)-mail:/,
  SECRETS_KEY: /^(?:mailbox-)?secrets:/,
  SIGNING_KEY: /^evidence:sign$/,
  OIDC_CLIENT_SECRET: /^identity-provider$/,
  // Only with a firewall: see edge.test.ts.
  ORIGIN_SECRET: /^$/,
  SECOND_MAIL_BUCKET: /^$/,
  SECOND_MAIL_REGION: /^$/,
  // Only with a bus: see below.
  EVENTS_BUS: /^$/,
  ...Object.fromEntries(
    Object.entries(queues).map(([name, { urlKey }]) => [urlKey, new RegExp(`^queue(?:-postpone)?:${name}$`)]),
  ),
};

const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:oidc-AbCdEf';

let bundles: Bundles;
let dev: Deployed;
let prod: Deployed;

beforeAll(async () => {
  bundles = await bundleAll();
  dev = synthesize({}, bundles);
  const former = { formerReportsDomains: 'old.acme.org', formerTesterDomains: 'old-tester.acme.org' };
  const mail = { alertSender: 'alerts@acme.org' };
  prod = synthesize({ ...prodContext, ...everyKey, ...former, ...mail, oidcSecretArn: SECRET_ARN }, bundles);
}, SYNTH_MILLISECONDS);

const rows = [...Object.values(routes), ...Object.values(triggers)];

interface Joined {
  readonly 'Fn::Join': readonly [string, readonly unknown[]];
}

describe('the API', () => {
  test('has the routes of the table, HEAD for each GET, and a default route', () => {
    const keys = Object.values(routes).flatMap((row) =>
      pathsOf(row).flatMap((path) => methodsOf(row).map((method) => `${method} ${path}`)),
    );
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

  test('routes HEAD to the function of GET, without further resources', () => {
    for (const row of Object.values(routes)) {
      const { method, summary } = row;
      for (const path of method === 'GET' ? pathsOf(row) : [])
        expect(dev.routes().get(`HEAD ${path}`)).toMatchObject({ Description: summary });
    }
    const functions = Object.values(routes).length + 1;
    expect(dev.all('AWS::ApiGatewayV2::Integration')).toHaveLength(functions);
    expect(
      dev.all('AWS::Lambda::Permission').filter(({ Principal }) => /^apigateway/.test(String(Principal))),
    ).toHaveLength(Object.values(routes).flatMap(pathsOf).length + 1);
  });

  test('is throttled, and logs nothing that can contain a secret', () => {
    const [stage] = dev.all('AWS::ApiGatewayV2::Stage');
    expect(stage).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
    });
    expect(JSON.stringify(dev.all('AWS::Logs::LogGroup'))).toContain(
      '/aws/vendedlogs/domain-monitor-dev-service/AccessLog/',
    );
    const { Format } = (stage as { AccessLogSettings: { Format: string } }).AccessLogSettings;
    expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey', status: '$context.status' });
    expect(Format).not.toMatch(
      /context\.(?:path|authorizer|error\.messageString)|querystring|header|protocol/i,
    );
  });

  test('has its address in an output', () => {
    expect(dev.outputs('service').ApiUrl).toEqual(dev.environment(routes.getOpenApi.summary).HOST_URL);
    expect(prod.outputs('service').ApiUrl).toBe('https://monitor.acme.org');
  });

  test("has the address and settings for the operator's commands in an output", () => {
    const adminSettings = (deployed: Deployed) => {
      const { AdminSettings } = deployed.outputs('service') as { AdminSettings: Joined };
      const [, parts] = AdminSettings['Fn::Join'];
      return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'reference')).join(''));
    };
    expect(adminSettings(prod)).toEqual({
      AWS_REGION: 'reference',
      CHECK_INTERVAL_SECONDS: '3600',
      DOMAIN_LIMIT: '7',
      SCORE_THRESHOLD: '80',
      TABLE_NAME: 'reference',
      MAIL_BUCKET: 'reference',
      FORMER_REPORTS_DOMAINS: 'old.acme.org',
      FORMER_TESTER_DOMAINS: 'old-tester.acme.org',
      SECRETS_KEY: 'reference',
      REPORTS_DOMAIN: 'reports.acme.org',
      TESTER_DOMAIN: 'tester.acme.org',
      SERVICE_LABEL: 'acme',
      RETENTION_DAYS: '90',
      UNAUTHENTICATED_REPORTS: 'set-aside',
      ALERT_SENDER: 'alerts@acme.org',
    });
    expect(adminSettings(dev)).toMatchObject({ RETENTION_DAYS: '0', UNAUTHENTICATED_REPORTS: 'count' });
  });
});

describe('the background work', () => {
  const consumers = Object.values<Trigger>(triggers).flatMap(({ source, ...row }) =>
    source.kind === 'queue' ? [{ ...row, ...source }] : [],
  );

  test('has every queue with its dead-letter queue, and no others', () => {
    expect(consumers.map((row) => row.queue).toSorted()).toEqual(Object.keys(queues).toSorted());
    expect(dev.all('AWS::SQS::Queue')).toHaveLength(2 * consumers.length);
  });

  test.each(consumers)('$name processes the queue $queue, with failures per message', (row) => {
    const { mapping, queue, deadLetters } = dev.work(row.summary);
    expect(mapping).toMatchObject({
      BatchSize: row.batchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: expect.any(Number) },
    });
    expect(mapping.MaximumBatchingWindowInSeconds).toBe(row.batchingSeconds);
    expect(queue).toMatchObject({
      VisibilityTimeout: row.timeoutSeconds * 6 + (row.batchingSeconds ?? 0),
      MessageRetentionPeriod: 10 * 24 * 3600,
      RedrivePolicy: { maxReceiveCount: row.maxReceiveCount },
    });
    expect(deadLetters).toMatchObject({ MessageRetentionPeriod: 14 * 24 * 3600 });
  });

  test('has every schedule', () => {
    const expected = Object.values<Trigger>(triggers).flatMap(({ source, summary }) =>
      source.kind === 'schedule' ? eventsOf(source).map(() => [summary, source.everySeconds]) : [],
    );
    expect(dev.schedules()).toEqual(expected);
  });
});

/** What only a deployment needs. */
const ofDeployment = [
  'Activates the receipt rule set of this deployment',
  'Fails while the receipt rule set of this deployment is not active',
  'Fails while mail to a domain of this deployment does not reach SES',
];

const log = ['logs:CreateLogStream on its log', 'logs:PutLogEvents on its log'];
const tableActions = [
  'BatchWriteItem',
  'ConditionCheckItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'UpdateItem',
];
const onTable = (actions: readonly string[], prefixes: readonly string[]) =>
  actions.map((action) => `dynamodb:${action} on the table of ${prefixes.join(', ')}`);
const read = (...prefixes: string[]) => onTable(['ConditionCheckItem', 'GetItem', 'Query'], prefixes);
const write = (...prefixes: string[]) => onTable(tableActions, prefixes);
/** One statement covers the partitions of all these permissions. */
const readTogether = (listed: readonly string[]) => {
  const prefixes = listed.flatMap(
    (one) => /^dynamodb:ConditionCheckItem on the table of (.*)$/.exec(one)?.[1] ?? [],
  );
  return prefixes.length === 0 ? [] : onTable(['BatchGetItem'], prefixes);
};
const list = (...prefixes: string[]) => [`dynamodb:Query on the table/index/gsi1 of ${prefixes.join(', ')}`];
/** Routes with a rate limit, and those that also require a token. */
const limited = [...log, ...onTable(['GetItem', 'UpdateItem'], ['RATE#*'])];
const v1 = [...limited, ...onTable(['GetItem'], ['TOKEN#*']), ...onTable(['UpdateItem'], ['USED#*'])];
/** Those that write, and those that can be repeated with an idempotency key. */
const v1Write = [...v1, ...onTable(['PutItem'], ['AUDIT#*'])];
const v1Post = [
  ...v1Write,
  ...onTable(['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'], ['IDEMPOTENCY#*']),
];
/** Pages of the console and their forms, which require a session. */
const session = [
  ...limited,
  ...onTable(['GetItem'], ['TOKEN#*', 'CONSOLE#*']),
  ...onTable(['UpdateItem'], ['USED#*']),
  ...onTable(['UpdateItem'], ['CONSOLE#*']),
];
const sessionForm = [...session, ...onTable(['PutItem'], ['AUDIT#*'])];
const send = (queues: string) => `sqs:SendMessage on ${queues}`;
const receive = (queue: string) =>
  ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'].map(
    (action) => `sqs:${action} on ${queue}`,
  );
const readMail = (prefix: string) => [
  `s3:GetObject on the mail/${prefix}/*`,
  `s3:ListBucket on the mail of ${prefix}/*`,
];
const encrypts = 'kms:Encrypt on the key';
const secrets = ['kms:Decrypt on the key', encrypts];
const signs = ['kms:GetPublicKey on the key', 'kms:Sign on the key'];
const deleteMail = (prefix: string) => [`s3:DeleteObject on the mail/${prefix}/*`];

/**
 * Lambda creates and deletes network interfaces with the role of the function. The code of the function is denied these
 * actions.
 */
const network = [
  'AssignPrivateIpAddresses',
  'CreateNetworkInterface',
  'DeleteNetworkInterface',
  'DescribeNetworkInterfaces',
  'DescribeSubnets',
  'UnassignPrivateIpAddresses',
].flatMap((action) => [`ec2:${action} on *`, `no ec2:${action} on * by its code`]);

/** Lists whose pages follow each other by signed positions. */
const pageKeys = onTable(['GetItem', 'UpdateItem'], ['PAGES*']);

const runsChecks = [
  ...[...read('NAME#*'), ...list('DKIMKEY#*'), ...write('ORG#*', 'DOMAIN#*', 'RATE#*', 'DIRECTORY#*')],
  ...[send('checks'), ...network],
];
const deletesDomains = [
  ...write('ORG#*', 'MAILBOX#*', 'DELETION*', 'BADGE#*', 'DIRECTORY#*', 'SUMS#*'),
  send('deletions'),
];

/** All permissions of each function in AWS. */
const permissions: Readonly<Record<string, readonly (string | string[])[]>> = {
  listDomains: [v1, read('ORG#*'), write('DIRECTORY#*')],
  getSummary: [
    v1,
    read('ORG#*', 'DOMAIN#*'),
    write('DIRECTORY#*', 'SUMS#*'),
    list('DUE#*', 'ORG#*', 'ATTENTION#*'),
  ],
  createDomain: [v1Post, write('ORG#*', 'MAILBOX#*', 'DIRECTORY#*')],
  createDomains: [v1Post, write('ORG#*', 'MAILBOX#*', 'DIRECTORY#*')],
  getDomain: [v1, read('ORG#*', 'DOMAIN#*')],
  updateDomain: [v1Write, write('ORG#*', 'BADGE#*', 'DIRECTORY#*')],
  deleteDomain: [v1Write, deletesDomains],
  getVerification: [v1, read('ORG#*')],
  verifyDomain: [v1Post, write('ORG#*', 'DOMAIN#*', 'DIRECTORY#*')],
  listDmarcReports: [v1, read('ORG#*', 'DOMAIN#*'), pageKeys],
  listTlsReports: [v1, read('ORG#*', 'DOMAIN#*'), pageKeys],
  listDmarcSources: [v1, read('ORG#*', 'DOMAIN#*')],
  deleteDmarcReport: [v1Write, read('ORG#*'), write('DOMAIN#*'), send('summaries')],
  deleteTlsReport: [v1Write, read('ORG#*'), write('DOMAIN#*'), send('summaries')],
  replayReportMail: [v1Post, read('ORG#*'), write('DOMAIN#*'), readMail('reports'), send('summaries')],
  getRawReportMail: [v1, read('ORG#*', 'DOMAIN#*'), readMail('reports')],
  listReportMails: [v1, read('ORG#*', 'DOMAIN#*'), pageKeys],
  listOrganizationSources: [v1, read('ORG#*'), write('SUMS#*')],
  getDmarcTimeline: [v1, read('ORG#*', 'DOMAIN#*')],
  runChecks: [v1Post, runsChecks],
  previewChecks: [v1Post, read('ORG#*', 'DOMAIN#*', 'NAME#*'), write('RATE#*'), network, list('DKIMKEY#*')],
  getFixes: [v1, read('ORG#*', 'DOMAIN#*')],
  getEvidence: [v1, read('ORG#*', 'DOMAIN#*'), write('JWKS*'), signs],
  listSenders: [v1, read('ORG#*', 'DOMAIN#*')],
  updateSender: [v1Write, read('ORG#*'), write('DOMAIN#*'), send('summaries')],
  simulateRecords: [v1Post, read('ORG#*', 'DOMAIN#*')],
  getEnforcement: [v1, read('ORG#*', 'DOMAIN#*')],
  updateEnforcement: [v1Write, read('ORG#*'), write('DOMAIN#*'), send('summaries')],
  listReporters: [v1, read('ORG#*', 'DOMAIN#*')],
  getScore: [v1, read('ORG#*', 'DOMAIN#*')],
  getBadge: [log, read('ORG#*', 'BADGE#*')],
  getScoreHistory: [v1, read('ORG#*', 'DOMAIN#*')],
  getChecksHistory: [v1, read('ORG#*', 'DOMAIN#*')],
  listAlerts: [v1, read('ORG#*', 'DOMAIN#*'), list('ORG#*'), pageKeys],
  listAttention: [v1, read('ORG#*', 'DOMAIN#*'), write('DIRECTORY#*'), list('ATTENTION#*')],
  putOffAttention: [v1Write, write('ORG#*', 'DOMAIN#*')],
  markAlertRead: [v1Write, write('DOMAIN#*'), list('ORG#*')],
  getCompliance: [v1, read('ORG#*', 'DOMAIN#*')],
  listCompliance: [v1, read('ORG#*', 'DOMAIN#*', 'DIRECTORY#*')],
  getComplianceSettings: [v1, read('ORG#*')],
  changeCompliance: [v1Write, write('ORG#*')],
  showCompliance: [session, read('ORG#*', 'DOMAIN#*', 'DIRECTORY#*')],
  saveCompliance: [sessionForm, write('ORG#*')],
  getNotifications: [v1, read('ORG#*')],
  changeNotifications: [v1Write, write('ORG#*', 'SECRETS#*'), secrets],
  testNotifications: [v1Post, read('ORG#*'), write('DELIVERY#*', 'SENT#*')],
  listDeliveries: [v1, read('DELIVERY#*', 'SENT#*'), pageKeys],
  getDelivery: [v1, read('DELIVERY#*')],
  redeliver: [v1Post, write('DELIVERY#*', 'SENT#*')],
  listTokens: [v1, read('USED#*', 'ORG#*')],
  getToken: [v1, read('USED#*', 'ORG#*')],
  createToken: [v1Post, write('TOKEN#*', 'ORG#*')],
  deleteToken: [v1Write, write('TOKEN#*', 'USED#*', 'ORG#*', 'PERSON#*', 'INVITE#*')],
  listMembers: [v1, read('USED#*', 'ORG#*')],
  getMember: [v1, read('USED#*', 'ORG#*')],
  updateMember: [v1Write, read('USED#*'), write('TOKEN#*', 'ORG#*')],
  removeMember: [v1Write, write('TOKEN#*', 'USED#*', 'ORG#*', 'PERSON#*', 'INVITE#*')],
  listInvitations: [v1, read('INVITE#*')],
  getInvitation: [v1, read('INVITE#*')],
  createInvitation: [v1Post, read('ORG#*'), write('INVITE#*')],
  deleteInvitation: [v1Write, write('INVITE#*')],
  showInvitation: [limited, read('ORG#*', 'INVITE#*')],
  startProviderSignIn: [limited],
  leaveProvider: [limited],
  finishProviderSignIn: [
    ...[limited, onTable(['GetItem'], ['TOKEN#*'])],
    write('TOKEN#*', 'AUDIT#*', 'CONSOLE#*', 'ORG#*', 'PERSON#*', 'INVITE#*'),
  ],
  showMembers: [session, read('USED#*', 'ORG#*', 'INVITE#*')],
  askAboutMembers: [session, read('USED#*', 'ORG#*')],
  inviteInConsole: [sessionForm, read('ORG#*'), write('CONSOLE#*', 'INVITE#*')],
  withdrawInConsole: [sessionForm, write('INVITE#*')],
  changeRoleInConsole: [sessionForm, write('TOKEN#*', 'CONSOLE#*', 'ORG#*')],
  removeMemberInConsole: [
    sessionForm,
    write('TOKEN#*', 'USED#*', 'CONSOLE#*', 'ORG#*', 'PERSON#*', 'INVITE#*'),
  ],
  leaveInConsole: [sessionForm, write('TOKEN#*', 'USED#*', 'ORG#*', 'PERSON#*', 'INVITE#*')],
  listMailboxes: [v1, read('FETCH#*')],
  getMailbox: [v1, read('FETCH#*')],
  // What stores passwords cannot decrypt them.
  addMailbox: [v1Post, write('FETCH#*', 'FETCHKEY#*'), encrypts],
  updateMailbox: [v1Write, write('FETCH#*', 'FETCHKEY#*'), encrypts],
  testMailbox: [v1Post, write('FETCH#*', 'FETCHKEY#*'), secrets],
  runMailbox: [v1Post, write('FETCH#*'), send('mailboxes')],
  removeMailbox: [v1Write, write('ORG#*', 'FETCH#*', 'FETCHKEY#*'), encrypts],
  listAudit: [v1, read('AUDIT#*'), pageKeys],
  checkAnyDomain: [limited, write('CHECKED#*', 'RATE#*'), network],
  checkAnyDomainWithToken: [v1Post, read('ORG#*', 'DOMAIN#*'), write('CHECKED#*', 'RATE#*'), network],
  serveMcp: [
    v1Post,
    read('ORG#*', 'DOMAIN#*', 'NAME#*'),
    write('CHECKED#*', 'RATE#*'),
    network,
    list('ATTENTION#*', 'DKIMKEY#*'),
  ],
  checkSpf: [limited, write('SPF#*')],
  saveSpfCheck: [limited, write('SPF#*')],
  getSpfShare: [log, onTable(['GetItem', 'UpdateItem'], ['SPF#*'])],
  createTestSession: [limited, write('TEST#*')],
  getTestSession: [limited, read('TEST#*')],
  startTest: [limited, write('TEST#*')],
  getTestPage: [log, read('TEST#*')],
  getUnsubscribePage: [limited, read('ORG#*')],
  unsubscribe: [limited, onTable(['GetItem', 'UpdateItem'], ['ORG#*'])],
  home: [log],
  showDomainCheck: [limited, write('CHECKED#*', 'RATE#*'), network],
  saveDomainCheck: [limited, write('CHECKED#*', 'RATE#*'), network],
  getDomainCheckShare: [limited, onTable(['GetItem', 'UpdateItem'], ['CHECKED#*']), write('JWKS*'), signs],
  getDomainCheckCard: [log, read('CHECKED#*')],
  showSpfChecker: [limited],
  showSignIn: [log],
  signIn: [limited, onTable(['GetItem'], ['TOKEN#*']), write('CONSOLE#*')],
  signOut: [sessionForm, read('PERSON#*'), write('CONSOLE#*')],
  showToday: [session, read('ORG#*', 'DIRECTORY#*'), list('ORG#*', 'ATTENTION#*')],
  showDomains: [session, read('ORG#*', 'DIRECTORY#*'), list('ORG#*')],
  saveOwnershipRecords: [session, read('ORG#*', 'DIRECTORY#*')],
  updateManyInConsole: [sessionForm, write('ORG#*', 'BADGE#*', 'DIRECTORY#*')],
  verifyManyInConsole: [sessionForm, write('ORG#*', 'DOMAIN#*', 'DIRECTORY#*')],
  checkManyInConsole: [sessionForm, runsChecks],
  saveView: [sessionForm, write('ORG#*')],
  putOffInConsole: [sessionForm, write('ORG#*', 'DOMAIN#*')],
  saveDomains: [session, read('ORG#*'), write('DIRECTORY#*')],
  showAddDomains: [session],
  addDomain: [sessionForm, write('ORG#*', 'MAILBOX#*', 'DIRECTORY#*')],
  addDomains: [sessionForm, write('ORG#*', 'MAILBOX#*', 'DIRECTORY#*')],
  showSenders: [session, read('ORG#*'), write('SUMS#*')],
  showOrganizationSender: [session, read('ORG#*', 'DOMAIN#*', 'SUMS#*')],
  decideForDomains: [sessionForm, read('ORG#*', 'SUMS#*'), write('DOMAIN#*'), send('summaries')],
  showReport: [session, read('ORG#*', 'DIRECTORY#*'), list('ATTENTION#*')],
  showChanges: [session, read('ORG#*'), list('ORG#*', 'CHANGES#*')],
  showAlerts: [session, read('ORG#*', 'DOMAIN#*'), list('ORG#*')],
  markAlertsRead: [sessionForm, read('ORG#*'), write('DOMAIN#*'), list('ORG#*')],
  showDeliveries: [session, read('DELIVERY#*', 'SENT#*')],
  redeliverInConsole: [sessionForm, write('DELIVERY#*', 'SENT#*')],
  showMailboxes: [session, read('FETCH#*')],
  addMailboxInConsole: [sessionForm, write('FETCH#*', 'FETCHKEY#*'), encrypts],
  showMailbox: [session, read('FETCH#*')],
  changeMailboxInConsole: [sessionForm, write('FETCH#*', 'FETCHKEY#*'), encrypts],
  runMailboxInConsole: [sessionForm, write('FETCH#*'), send('mailboxes')],
  removeMailboxInConsole: [sessionForm, write('ORG#*', 'FETCH#*', 'FETCHKEY#*'), encrypts],
  showSettings: [session, read('USED#*', 'AUDIT#*', 'CONSOLE#*', 'ORG#*', 'PERSON#*')],
  switchOrganization: [sessionForm, write('CONSOLE#*', 'PERSON#*')],
  showOrganizations: [
    session,
    read('ORGS*', 'ORG#*', 'PERSON#*', 'FETCH#*', 'DIRECTORY#*'),
    list('ATTENTION#*'),
  ],
  operateOrganizations: [sessionForm, read('PERSON#*'), write('ORGS*', 'CONSOLE#*', 'ORG#*')],
  changeMemberMail: [sessionForm, write('CONSOLE#*', 'ORG#*')],
  changePreferences: [sessionForm, write('CONSOLE#*', 'PERSON#*')],
  confirmInConsole: [session],
  askInSettings: [session, read('USED#*', 'ORG#*')],
  saveNotifications: [sessionForm, write('CONSOLE#*', 'ORG#*', 'SECRETS#*'), secrets],
  sendTestNotification: [sessionForm, read('ORG#*'), write('DELIVERY#*', 'SENT#*')],
  createTokenInConsole: [sessionForm, write('TOKEN#*', 'CONSOLE#*', 'ORG#*')],
  revokeTokenInConsole: [
    sessionForm,
    write('TOKEN#*', 'USED#*', 'CONSOLE#*', 'ORG#*', 'PERSON#*', 'INVITE#*'),
  ],
  endSessions: [sessionForm, read('PERSON#*'), write('CONSOLE#*')],
  showDomainOverview: [session, read('ORG#*', 'DOMAIN#*'), write('JWKS*'), signs],
  getFirstSteps: [session, read('ORG#*')],
  searchConsole: [session, read('ORG#*'), write('DIRECTORY#*', 'SUMS#*')],
  showSender: [session, read('ORG#*'), write('DOMAIN#*')],
  showDomainView: [session, read('ORG#*'), write('DOMAIN#*')],
  decideOnSender: [sessionForm, read('ORG#*'), write('DOMAIN#*'), send('summaries')],
  checkDomainNow: [sessionForm, runsChecks],
  verifyInConsole: [sessionForm, write('ORG#*', 'DOMAIN#*', 'DIRECTORY#*')],
  showDomainSettings: [session, read('ORG#*')],
  saveDomainSettings: [sessionForm, write('ORG#*', 'BADGE#*', 'DIRECTORY#*')],
  askAboutDomain: [session, read('ORG#*')],
  deleteDomainInConsole: [sessionForm, deletesDomains],
  previewFix: [session, read('ORG#*', 'DOMAIN#*', 'NAME#*'), write('RATE#*'), network, list('DKIMKEY#*')],
  getOpenApi: [log],
  getDocs: [log],
  getSecurityTxt: [log],
  getSigningKeys: [limited, read('JWKS*')],
  drainDeletedDomain: [
    log,
    read('MAILBOX#*'),
    write('DOMAIN#*', 'DELETION*'),
    send('deletions'),
    receive('deletions'),
    deleteMail('reports'),
  ],
  queueReceivedMail: [log, receive('arrivals'), send('reports and tester')],
  receiveReportMail: [
    log,
    read('ORG#*', 'MAILBOX#*'),
    write('DOMAIN#*', 'RATE#*'),
    receive('reports'),
    readMail('reports'),
    deleteMail('reports'),
    send('summaries'),
  ],
  rollUpSummaries: [
    log,
    read('ORG#*'),
    write('DOMAIN#*', 'DIRECTORY#*', 'SUMS#*'),
    receive('summaries'),
    send('summaries'),
  ],
  receiveTestMail: [
    log,
    write('NAME#*', 'TEST#*'),
    receive('tester'),
    readMail('tester'),
    deleteMail('tester'),
  ],
  resumeDeletions: [log, read('DELETION*'), send('deletions')],
  queueDueMailboxes: [log, read('ORG#*'), write('FETCH#*'), list('FETCHDUE#*'), send('mailboxes')],
  readMailbox: [
    log,
    write('ORG#*', 'FETCH#*', 'FETCHKEY#*', 'DOMAIN#*'),
    receive('mailboxes'),
    secrets,
    's3:PutObject on the mail/reports/*',
    send('mailboxes and summaries'),
  ],
  sweepDueDomains: [log, write('ORG#*'), list('DUE#*'), send('checks'), 'sqs:GetQueueAttributes on checks'],
  checkDomain: [
    log,
    read('NAME#*'),
    list('DKIMKEY#*'),
    write('ORG#*', 'DOMAIN#*', 'DIRECTORY#*'),
    send('checks and summaries'),
    receive('checks'),
    network,
  ],
  gatherNotifications: [
    log,
    write('ORG#*', 'DOMAIN#*', 'DELIVERY#*', 'SENT#*'),
    list('PENDING*', 'DELIVERIES*'),
    send('notifications'),
  ],
  deliverNotification: [
    log,
    read('DOMAIN#*'),
    write('ORG#*', 'SECRETS#*', 'DELIVERY#*', 'SENT#*'),
    secrets,
    receive('notifications'),
  ],
  gatherDigests: [
    log,
    write('ORG#*', 'DOMAIN#*', 'DELIVERY#*', 'SENT#*'),
    list('PENDING*', 'DELIVERIES*'),
    send('digests'),
  ],
  deliverDigest: [
    log,
    read('DOMAIN#*'),
    write('ORG#*', 'DELIVERY#*', 'SUMS#*'),
    list('ORG#*', 'ATTENTION#*'),
    receive('digests'),
  ],
};

function permissionsOf(name: string): string[] {
  const listed = [...new Set(permissions[name]?.flat())];
  return [...listed, ...readTogether(listed)];
}

describe('the functions', () => {
  test('exist for each row of both tables, and for the other functions', () => {
    const summaries = prod.all('AWS::Lambda::Function').map((made) => made.Description);
    expect(summaries.toSorted()).toEqual(
      [...rows.map((row) => row.summary), 'Answers requests that match no route', ...ofDeployment].toSorted(),
    );
  });

  test('put events on a bus only if there is one, and only those that notify', () => {
    const withBus = synthesize({ ...prodContext, events: 'bus' });
    const buses = (deployed: Deployed) =>
      deployed.resources('AWS::Events::EventBus').map(({ Properties }) => Properties.Name);
    expect(buses(withBus)).toEqual(['domain-monitor-prod-events']);
    const putting = Object.values(triggers).filter(({ summary }) =>
      withBus.permissions(summary).some((one) => one.startsWith('events:PutEvents')),
    );
    expect(putting).toEqual([triggers.deliverNotification]);
    expect(buses(prod)).toEqual([]);
  });

  test.each(rows)('$name has exactly its permissions', ({ name, summary }) => {
    expect(dev.permissions(summary)).toEqual(permissionsOf(name).toSorted());
  });

  test.each([triggers.deliverNotification, triggers.deliverDigest])(
    'send mail only from the alert sender, if there is one: $name',
    ({ name, summary }) => {
      const mine = [
        ...permissionsOf(name),
        'ses:SendEmail on arn:AWS::Partition:ses:AWS::Region:AWS::AccountId:identity/acme.org',
      ];
      expect(prod.permissions(summary)).toEqual(mine.toSorted());
      expect(JSON.stringify(prod.all('AWS::IAM::Policy'))).toContain(
        '"Condition":{"StringEquals":{"ses:FromAddress":"alerts@acme.org"}}',
      );
      expect(prod.environment(summary).ALERT_SENDER).toBe('alerts@acme.org');
    },
  );

  test('never scan, and have no wildcard action', () => {
    const actions = dev.actions();
    expect(actions.filter((action) => action.includes('*') || action.includes('Scan'))).toEqual([]);
    expect(actions.length).toBeGreaterThan(rows.length);
  });

  test('run on Node 24 and arm64, each with its own role and log group with a retention time', () => {
    const made = prod.all('AWS::Lambda::Function');
    for (const one of made) expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    const own = (value: unknown) => new Set(made.map((one) => JSON.stringify(one[value as string])));
    expect(own('Role').size).toBe(made.length);
    expect(own('LoggingConfig').size).toBe(made.length);
    for (const kept of prod.all('AWS::Logs::LogGroup')) expect(kept.RetentionInDays).toBe(180);
    for (const kept of dev.all('AWS::Logs::LogGroup')) expect(kept.RetentionInDays).toBe(7);
  });

  test.each(rows)('$name gets all settings, and the names of what it may use', ({ summary, ...row }) => {
    const uses = [...row.uses, ...('rate' in row && row.rate !== 'none' ? ['rate-limits:count'] : [])];
    const isPassed = (key: string) =>
      !localOnly.includes(key) && (namesOf[key] === undefined || uses.some((use) => namesOf[key]?.test(use)));
    const keys = Object.keys(environmentSchema.shape).filter(isPassed);
    expect(Object.keys(prod.environment(summary)).toSorted()).toEqual(keys.toSorted());
  });

  test('get the names of resources from the outputs of other stacks', () => {
    const environmentOf = (name: keyof typeof triggers) => prod.environment(triggers[name].summary);
    expect(environmentOf('receiveReportMail').TABLE_NAME).toEqual(prod.outputs('data').TableName);
    expect(environmentOf('receiveReportMail').MAIL_BUCKET).toEqual(prod.outputs('data').MailBucketName);
    expect(environmentOf('sweepDueDomains').CHECKS_QUEUE_URL).toEqual(prod.outputs('service').ChecksQueueUrl);
  });

  test('reach the table only by the keys that they use', () => {
    const onTable = dev.statements().filter(({ Action }) => JSON.stringify(Action).includes('"dynamodb:'));
    const unlimited = onTable.filter(
      ({ Condition }) => Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] === undefined,
    );
    expect(unlimited).toEqual([]);
    expect(onTable.length).toBeGreaterThan(rows.length);
  });

  test.each([
    ['createDomain', { DOMAIN_LIMIT: '7', REPORTS_DOMAIN: 'reports.acme.org' }],
    ['verifyDomain', { DNS_SERVERS: '192.0.2.53' }],
    ['getOpenApi', { HOST_URL: 'https://monitor.acme.org' }],
    ['runChecks', { PROBE_SMTP: 'off' }],
  ] as const)('%s gets %j', (name, variables) => {
    expect(prod.environment(routes[name].summary)).toMatchObject(variables);
  });

  test('that ask the identity provider get its secret from AWS Secrets Manager when they are deployed', () => {
    const { OIDC_CLIENT_SECRET } = prod.environment(routes.finishProviderSignIn.summary);
    expect(OIDC_CLIENT_SECRET).toBe(`{{resolve:secretsmanager:${SECRET_ARN}:SecretString:::}}`);
    expect(dev.environment(routes.finishProviderSignIn.summary).OIDC_CLIENT_SECRET).toBeUndefined();
  });

  test('use resolvers that validate DNSSEC by default', () => {
    expect(dev.environment(routes.verifyDomain.summary).DNS_SERVERS).toBe('1.1.1.1,8.8.8.8,9.9.9.9');
  });
});

test('a handler without a bundle is rejected by name', () => {
  const without = new Map([...bundles].filter(([handler]) => handler !== 'domains/list'));
  expect(() => synthesize({}, without)).toThrow('listDomains: the handler domains/list');
});
