/** What a deployment can be told: the context of `cdk.json` and of `-c key=value`, typed and checked. */
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
} from '../../shared/runtime/config.ts';
import { type HostedZone, parseHostedZones, problemOf } from './config-values.ts';

export interface Settings {
  /** `prod` keeps its data whatever happens to the stacks; `dev` leaves nothing behind. */
  readonly stage: 'dev' | 'prod';
  /** Where everything is; the one of the AWS profile unless set. */
  readonly region?: string;
  /** What the API lets through, all callers together; twice as much at once. */
  readonly requestsPerSecond: number;
  /** How many functions check domains at once, five domains each; SQS takes 2 to 1000. */
  readonly checkWorkers: number;
  /** How many functions read the mail of each of the two domains at once; SQS takes 2 to 1000. */
  readonly mailWorkers: number;
  /** The API's own name, and its certificate in the same region. */
  readonly apiDomain?: string;
  readonly certificateArn?: string;
  /** Whether the API answers at its own name only. */
  readonly disableExecuteApiEndpoint: boolean;
  /** The zones in Route 53 that the DNS records are made in; nobody makes those of other names. */
  readonly hostedZones: readonly HostedZone[];
  /** A rule set that somebody else keeps active, and that our receipt rules are added to. */
  readonly receiptRuleSetName?: string;
  /** Whether our rule set may take the place of another one that is active. */
  readonly takeOverActiveRuleSet: boolean;
  /** Whether SES takes mail from everywhere, also from addresses that it blocks, for the whole account and region. */
  readonly testerAllowAllIps: boolean;
  /** The address that alerts are sent from. */
  readonly alertSender?: string;
  /** Whether SES has the identity of its domain already, which then is somebody else's to keep. */
  readonly existingAlertIdentity: boolean;
  /** A table that was restored, which functions use in place of the one of the data stack. */
  readonly restoredTable?: string;
  /** Who is told of alarms. */
  readonly alarmEmail?: string;
  /** How many functions the account may run at once, in this region; one alarm tells when that is nearly reached. */
  readonly lambdaConcurrency: number;
  /** Whether functions that dial port 25 get a network from which AWS may allow that. */
  readonly smtpProbe: boolean;
  /** The keys of the functions' environment that were set; any other has its default of `environmentSchema`. */
  readonly environment: Environment;
}

export type Environment = Readonly<Partial<Record<keyof Config, string>>>;

/** Context keys that become keys of the functions' environment. */
export const environmentKeys = {
  hostUrl: 'HOST_URL',
  reportsDomain: 'REPORTS_DOMAIN',
  testerDomain: 'TESTER_DOMAIN',
  serviceLabel: 'SERVICE_LABEL',
  dnsServers: 'DNS_SERVERS',
  dnssecTrustAnchors: 'DNSSEC_TRUST_ANCHORS',
  blocklists: 'BLOCKLISTS',
  unauthenticatedReports: 'UNAUTHENTICATED_REPORTS',
  checkIntervalSeconds: 'CHECK_INTERVAL_SECONDS',
  domainLimit: 'DOMAIN_LIMIT',
  scoreThreshold: 'SCORE_THRESHOLD',
  apiRatePerMinute: 'API_RATE_PER_MINUTE',
  toolRatePerMinute: 'TOOL_RATE_PER_MINUTE',
  retentionDays: 'RETENTION_DAYS',
  logLevel: 'LOG_LEVEL',
} as const satisfies Record<string, keyof Config>;

/** Public resolvers that validate DNSSEC; Amazon's own strips what validating takes. */
const DNS_SERVERS = '1.1.1.1,8.8.8.8,9.9.9.9';

const flag = z.pipe(
  z._default(z.enum(['true', 'false'], 'must be true or false'), 'false'),
  z.transform((text) => text === 'true'),
);

const like = (pattern: RegExp, message: string) => z.optional(z.string().check(z.regex(pattern, message)));

export const settingsSchema = z.object({
  stage: z._default(z.enum(['dev', 'prod'], 'must be dev or prod'), 'dev'),
  region: like(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1'),
  requestsPerSecond: wholeNumber(100, 1, 100_000),
  checkWorkers: wholeNumber(5, 2, 1000),
  mailWorkers: wholeNumber(5, 2, 1000),
  apiDomain: z.optional(hostName),
  certificateArn: like(
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
    'must be the ARN of a certificate in ACM',
  ),
  disableExecuteApiEndpoint: flag,
  hostedZones: list(parseHostedZones, ''),
  receiptRuleSetName: like(/^[\w.-]{1,64}$/, 'must be the name of a receipt rule set'),
  takeOverActiveRuleSet: flag,
  testerAllowAllIps: flag,
  alertSender: z.optional(mailAddress),
  existingAlertIdentity: flag,
  restoredTable: like(/^[\w.-]{3,255}$/, 'must be the name of a table'),
  alarmEmail: z.optional(mailAddress),
  lambdaConcurrency: wholeNumber(1000, 10, 100_000),
  smtpProbe: flag,
});

const contextSchema = z.object({
  ...settingsSchema.shape,
  ...Object.fromEntries(
    Object.entries(environmentKeys).map(([key, name]) => [key, environmentSchema.shape[name]]),
  ),
});

/**
 * Reads the settings of a deployment. Keys with other characters than letters, digits and `_` are CDK's own.
 * @throws ConfigError naming what is unknown or wrong, in one line.
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const own = Object.entries(context).filter(([key]) => /^\w+$/.test(key));
  const unknown = own.map(([key]) => key).filter((key) => !Object.hasOwn(contextSchema.shape, key));
  if (unknown.length > 0) {
    const known = Object.keys(contextSchema.shape).join(', ');
    throw new ConfigError(`unknown context: ${unknown.join(', ')}; there is ${known}`);
  }
  const given: Record<string, string> = {
    dnsServers: DNS_SERVERS,
    ...Object.fromEntries(own.map(([key, value]) => [key, text(key, value)])),
  };
  const read: z.output<typeof settingsSchema> = readEnvironment(contextSchema, given);
  const set = Object.entries(environmentKeys).flatMap(([key, name]) =>
    given[key] ? [[name, given[key]] as const] : [],
  );
  const settings: Settings = {
    ...pick(read, settingsSchema.shape),
    environment: {
      ...(read.apiDomain === undefined ? {} : { HOST_URL: `https://${read.apiDomain}` }),
      ...(read.alertSender === undefined ? {} : { ALERT_SENDER: read.alertSender }),
      ...Object.fromEntries(set),
      PROBE_SMTP: read.smtpProbe ? 'on' : 'off',
      METRICS_NAMESPACE: `EmailDomainSecurity/${read.stage}`,
    },
  };
  const problem = problemOf(settings);
  if (problem !== undefined) throw new ConfigError(problem);
  return settings;
}

function pick<T extends object>(record: T, keys: object): T {
  return Object.fromEntries(Object.entries(record).filter(([key]) => Object.hasOwn(keys, key))) as T;
}

/** `-c` gives strings; `cdk.json` may hold numbers and truth values as well. */
function text(key: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  throw new ConfigError(`${key} must be text, a number, true or false`);
}
