/** What a deployment can be told: the context of `cdk.json` and of `-c key=value`, typed and checked. */
import * as z from 'zod/mini';
import {
  type Config,
  ConfigError,
  environmentSchema,
  readEnvironment,
  wholeNumber,
} from '../../shared/runtime/config.ts';

export interface Settings {
  /** `prod` keeps its data whatever happens to the stack; `dev` leaves nothing behind. */
  readonly stage: 'dev' | 'prod';
  /** What the API lets through, all callers together; twice as much at once. */
  readonly requestsPerSecond: number;
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

const contextSchema = z.object({
  stage: z._default(z.enum(['dev', 'prod'], 'must be dev or prod'), 'dev'),
  requestsPerSecond: wholeNumber(100, 1),
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
  const { stage, requestsPerSecond } = readEnvironment(contextSchema, given);
  const problem = addressProblem(given, stage);
  if (problem !== undefined) throw new ConfigError(problem);
  const environment = Object.entries(environmentKeys).flatMap(([key, name]) =>
    given[key] ? [[name, given[key]]] : [],
  );
  return { stage, requestsPerSecond, environment: Object.fromEntries(environment) };
}

/** `-c` gives strings; `cdk.json` may hold numbers as well. */
function text(key: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new ConfigError(`${key} must be text or a number`);
}

/** RFC 2606 and RFC 6761: nobody receives mail at these. */
const RESERVED = /(?:^|\.)(?:test|example|invalid|localhost|example\.(?:com|net|org))$/;

function addressProblem(
  { hostUrl, reportsDomain, testerDomain }: Readonly<Record<string, string>>,
  stage: Settings['stage'],
): string | undefined {
  if (hostUrl?.startsWith('http:')) return 'hostUrl must begin with https://';
  if (!reportsDomain || !testerDomain)
    return 'reportsDomain and testerDomain are needed: the domains that receive mail';
  if (reportsDomain === testerDomain) return 'reportsDomain and testerDomain must be different';
  const reserved = [reportsDomain, testerDomain].find((domain) => RESERVED.test(domain));
  if (stage === 'prod' && reserved !== undefined)
    return `${reserved} is only an example; prod needs a domain of yours`;
  return undefined;
}
