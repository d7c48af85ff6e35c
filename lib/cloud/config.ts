/** The settings of a deployment, from a file (`-c settings=<file>`) or the CDK context (`-c key=value`), typed and validated. */
import * as z from 'zod/mini';
import {
  type Config,
  ConfigError,
  environmentSchema,
  hostName,
  list,
  mailAddress,
  readEnvironment,
  wholeNumber,
} from '../../shared/runtime/config/config.ts';
import { problemOf } from './config-values.ts';
import { acceptedOf, type FormerDomain, parseFormerDomains } from './former-domains.ts';
import { parseHostedZones } from './hosted-zones.ts';
import { FIRST_STACKS, type Settings } from './settings.ts';
import { readSettingsFile, settingText } from './settings-file.ts';
import { parseTags } from './tags.ts';

/** Context keys that become keys of the functions' environment. */
export const environmentKeys = {
  hostUrl: 'HOST_URL',
  reportsDomain: 'REPORTS_DOMAIN',
  testerDomain: 'TESTER_DOMAIN',
  serviceLabel: 'SERVICE_LABEL',
  oidcIssuer: 'OIDC_ISSUER',
  oidcClientId: 'OIDC_CLIENT_ID',
  dnsServers: 'DNS_SERVERS',
  dnssecTrustAnchors: 'DNSSEC_TRUST_ANCHORS',
  rdapBootstrap: 'RDAP_BOOTSTRAP',
  blocklists: 'BLOCKLISTS',
  watchBlocklists: 'WATCH_BLOCKLISTS',
  domainBlocklists: 'DOMAIN_BLOCKLISTS',
  unauthenticatedReports: 'UNAUTHENTICATED_REPORTS',
  checkIntervalSeconds: 'CHECK_INTERVAL_SECONDS',
  domainLimit: 'DOMAIN_LIMIT',
  scoreThreshold: 'SCORE_THRESHOLD',
  apiRatePerMinute: 'API_RATE_PER_MINUTE',
  toolRatePerMinute: 'TOOL_RATE_PER_MINUTE',
  publicChecks: 'PUBLIC_CHECKS',
  securityContact: 'SECURITY_CONTACT',
  retentionDays: 'RETENTION_DAYS',
  logLevel: 'LOG_LEVEL',
} as const satisfies Record<string, keyof Config>;

/** Public resolvers that return DNSSEC records; Amazon's resolver strips them. */
const DNS_SERVERS = '1.1.1.1,8.8.8.8,9.9.9.9';

const flag = z.pipe(
  z._default(z.enum(['true', 'false'], 'must be "true" or "false"'), 'false'),
  z.transform((text) => text === 'true'),
);

const like = (pattern: RegExp, message: string) => z.optional(z.string().check(z.regex(pattern, message)));

const awsRegion = like(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1');

/** SQS starts from 2 to 1000 functions for a queue; undefined where the quota of the account decides. */
const workers = like(/^(?:[2-9]|[1-9]\d\d?|1000)$/, 'must be a whole number from 2 to 1000');

const certificateArn = like(
  /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
  'must be the ARN of an ACM certificate',
);

const secretArn = like(
  /^arn:aws:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/,
  'must be the ARN of a secret',
);

export const settingsSchema = z.object({
  stage: z._default(
    z
      .string()
      .check(z.regex(/^[a-z][a-z0-9-]{0,19}$/, 'must be up to 20 lower-case letters, digits and hyphens')),
    'dev',
  ),
  keepData: z.optional(z.enum(['true', 'false'], 'must be "true" or "false"')),
  account: like(/^\d{12}$/, 'must be the 12 digits of an AWS account'),
  region: awsRegion,
  requestsPerSecond: wholeNumber(100, 1, 100_000),
  checkWorkers: workers,
  mailWorkers: workers,
  notificationWorkers: workers,
  apiDomain: z.optional(hostName),
  certificateArn,
  disableExecuteApiEndpoint: flag,
  wafRequestsPer5Minutes: wholeNumber(0, 0, 999_999_999),
  edgeCertificateArn: certificateArn,
  formerReportsDomains: list(parseFormerDomains, ''),
  formerTesterDomains: list(parseFormerDomains, ''),
  hostedZones: list(parseHostedZones, ''),
  secondMailRegion: awsRegion,
  receiptRuleSetName: like(/^[\w.-]{1,64}$/, 'must be the name of a receipt rule set'),
  takeOverActiveRuleSet: flag,
  testerAllowAllIps: flag,
  alertSender: z.optional(mailAddress),
  existingAlertIdentity: flag,
  restoredTable: like(/^[\w.-]{3,255}$/, 'must be the name of a table'),
  alarmEmail: z.optional(mailAddress),
  ticketEmail: z.optional(mailAddress),
  monthlyBudget: wholeNumber(0, 0, 999_999_999),
  mailsPerHour: wholeNumber(5_000, 1, 999_999_999),
  noMailHours: wholeNumber(0, 0, 24),
  canarySecretArn: secretArn,
  oidcSecretArn: secretArn,
  xray: flag,
  events: z.optional(z.enum(['bus'], 'must be "bus"')),
  lambdaConcurrency: wholeNumber(0, 0, 100_000),
  smtpProbe: flag,
  backupCopyVaultArn: like(
    /^arn:aws:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/,
    'must be the ARN of a backup vault',
  ),
  natPerZone: flag,
  customerKey: flag,
  tags: list(parseTags, ''),
  permissionsBoundary: like(
    /^(?:arn:aws:iam::\d{12}:policy\/)?[\w+=,.@/-]{1,128}$/,
    'must be the name or the ARN of a policy',
  ),
  qualifier: like(/^[a-z0-9]{1,10}$/, 'must be a qualifier of "cdk bootstrap"'),
});

/** Only this stage deletes its data with its stacks, unless a setting says otherwise. */
const DISPOSABLE_STAGE = 'dev';

const contextSchema = z.object({
  ...settingsSchema.shape,
  ...Object.fromEntries(
    Object.entries(environmentKeys).map(([key, name]) => [key, environmentSchema.shape[name]]),
  ),
});

/**
 * Reads the settings of a deployment. Keys with characters other than letters, digits, and `_` belong to CDK.
 * @throws ConfigError naming the unknown or invalid keys in one line.
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const own = Object.entries(givenIn(context));
  const unknown = own.map(([key]) => key).filter((key) => !Object.hasOwn(contextSchema.shape, key));
  if (unknown.length > 0) {
    const known = Object.keys(contextSchema.shape).join(', ');
    throw new ConfigError(`unknown settings: ${unknown.join(', ')}; available: ${known}`);
  }
  const given: Record<string, string> = {
    dnsServers: DNS_SERVERS,
    ...Object.fromEntries(own.map(([key, value]) => [key, settingText(key, value)])),
  };
  const read: z.output<typeof settingsSchema> = readEnvironment(contextSchema, given);
  const set = Object.entries(environmentKeys).flatMap(([key, name]) =>
    given[key] ? [[name, given[key]] as const] : [],
  );
  const settings: Settings = {
    ...pick(read, settingsSchema.shape),
    ...workersFor(read),
    keepData: read.keepData === undefined ? read.stage !== DISPOSABLE_STAGE : read.keepData === 'true',
    firstStacks: String(context[FIRST_STACKS] ?? '').split(','),
    environment: {
      ...(read.apiDomain === undefined ? {} : { HOST_URL: `https://${read.apiDomain}` }),
      ...(read.alertSender === undefined ? {} : { ALERT_SENDER: read.alertSender }),
      ...formerEnvironment('FORMER_REPORTS_DOMAINS', read.formerReportsDomains),
      ...formerEnvironment('FORMER_TESTER_DOMAINS', read.formerTesterDomains),
      ...Object.fromEntries(set),
      PROBE_SMTP: read.smtpProbe ? 'on' : 'off',
      METRICS_NAMESPACE: `EmailDomainSecurity/${read.stage}`,
    },
  };
  const problem = problemOf(settings);
  if (problem !== undefined) throw new ConfigError(problem);
  return settings;
}

/**
 * How many functions work on a queue if the settings do not say. A new account can run ten functions at once, and its queues share
 * these as far as SQS lets them.
 */
function workersFor(read: z.output<typeof settingsSchema>) {
  const { lambdaConcurrency, checkWorkers, mailWorkers, notificationWorkers } = read;
  const [checks, others] = lambdaConcurrency < LARGE_QUOTA ? [2, 2] : [10, 5];
  return {
    checkWorkers: Number(checkWorkers ?? checks),
    mailWorkers: Number(mailWorkers ?? others),
    notificationWorkers: Number(notificationWorkers ?? others),
    otherWorkers: others,
  };
}

/** All queues at once take less than half of it. */
const LARGE_QUOTA = 100;

const formerEnvironment = (key: keyof Config, former: readonly FormerDomain[]) => {
  const accepted = acceptedOf(former);
  return accepted.length === 0 ? {} : { [key]: accepted.join(',') };
};

function pick<T extends object>(record: T, keys: object): T {
  return Object.fromEntries(Object.entries(record).filter(([key]) => Object.hasOwn(keys, key))) as T;
}

/** The settings in the file, or else in the context. A setting beside the file would be forgotten the next time. */
function givenIn(context: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { settings, ...others } = Object.fromEntries(
    Object.entries(context).filter(([key]) => /^\w+$/.test(key)),
  );
  const names = Object.keys(others);
  if (settings === undefined && names.length > 0) return others;
  if (typeof settings !== 'string')
    throw new ConfigError(
      'which deployment? Use -c settings=<file>, such as -c settings=docs/stages/dev.jsonc',
    );
  if (names.length > 0)
    throw new ConfigError(`write these settings into ${settings} instead: ${names.join(', ')}`);
  return readSettingsFile(settings);
}
