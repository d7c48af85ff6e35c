/** The settings of a deployment, from a file (`-c settings=<file>`) or the CDK context (`-c key=value`), typed and validated. */
import * as z from 'zod/mini';
import {
  type Config,
  ConfigError,
  environmentSchema,
  readEnvironment,
} from '../../shared/runtime/config/config.ts';
import { problemOf } from './config-values.ts';
import { acceptedOf, type FormerDomain } from './former-domains.ts';
import { FIRST_STACKS, type Settings, settingsSchema } from './settings.ts';
import { readSettingsFile, settingText } from './settings-file.ts';

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
