/**
 * The configuration of the service: one schema of the environment variables, read once. CDK and the local host set the
 * same keys. Keys of only one host (ports, the data folder) are defined there.
 */

import * as z from 'zod/mini';
import { publicBlocklists, publicDomainBlocklists } from '../../mail-test/blocklist-zones.ts';
import { MAX_DOMAIN_LIMIT, MAX_SCORE } from '../../operations/organizations/limits.ts';
import { parseTrustAnchors, rootAnchors, type TrustAnchor } from '../../protocol/dnssec/anchors.ts';
import { isHostName } from '../../protocol/host-name.ts';
import { parseBlocklists, parseDialMap, parsePaths, parseServers, parseZones } from './config-lists.ts';

/** A key whose text is parsed by `read`; the message of an Error that `read` throws becomes the key's problem. */
export function list<T>(read: (text: string) => T, fallback: string) {
  return z.prefault(
    z.pipe(
      z.string(),
      z.transform((text, context) => {
        try {
          return read(text);
        } catch (error) {
          context.issues.push({ code: 'custom', message: (error as Error).message, input: text });
          return z.NEVER;
        }
      }),
    ),
    fallback,
  );
}

/** A whole number from `minimum` to `maximum`. */
export const wholeNumber = (fallback: number, minimum: number, maximum: number) =>
  list((text) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < minimum || Number(text) > maximum)
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    return Number(text);
  }, String(fallback));

export const hostName = z
  .string()
  .check(
    z.refine((text) => isHostName(text) && text === text.toLowerCase(), 'must be a host name in lowercase'),
  );

const origin = z
  .string()
  .check(
    z.refine(
      (text) => /^https?:\/\/[^/\s?#]+$/.test(text) && URL.canParse(text),
      'must be an origin such as https://monitor.example.org',
    ),
  );

/** OpenID Connect Discovery 1.0, section 3: a URL without query and fragment. */
const issuer = z
  .string()
  .check(
    z.refine(
      (text) => /^https:\/\/[^\s?#]+$/.test(text) && URL.canParse(text),
      'must be an https URL such as https://login.example.org/realms/company',
    ),
  );

export const mailAddress = z
  .string()
  .check(
    z.regex(
      /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}@[a-z0-9.-]{1,253}$/,
      'must be an address such as alerts@example.org',
    ),
  );

const securityContact = z
  .string()
  .check(
    z.regex(
      /^(?:mailto:[!-?A-~]+@[!-?A-~]+|https:\/\/[!-~]+)$/,
      'must be a URL such as mailto:security@example.org or https://example.org/security',
    ),
  );

const label = z
  .string()
  .check(
    z.regex(
      /^[a-z][a-z0-9]{0,19}$/,
      'must start with a lowercase letter and consist of up to 20 lowercase letters and digits',
    ),
  );

const YEAR_SECONDS = 365 * 86_400;
const CENTURY_DAYS = 36_500;

/** One item counts the requests of a caller, and DynamoDB allows 1,000 writes per second to an item. */
const MAX_RATE_PER_MINUTE = 60_000;

/** The address of a file as RFC 9224 describes it, or `off`. */
const rdapBootstrap = z
  .string()
  .check(
    z.refine(
      (text) => text === 'off' || (text.startsWith('https://') && URL.canParse(text)),
      'must be an https URL, or "off"',
    ),
  );

/** A client that waits for a test message polls about once a second, possibly for several tests. */
export const POLLS_PER_CALL = 10;

/** Every key with its default. */
export const environmentSchema = z.object({
  TABLE_NAME: z._default(z.string(), 'email-domain-security'),
  DELETIONS_QUEUE_URL: z._default(z.string(), ''),
  CHECKS_QUEUE_URL: z._default(z.string(), ''),
  ARRIVALS_QUEUE_URL: z._default(z.string(), ''),
  REPORTS_QUEUE_URL: z._default(z.string(), ''),
  TESTER_QUEUE_URL: z._default(z.string(), ''),
  NOTIFICATIONS_QUEUE_URL: z._default(z.string(), ''),
  DIGESTS_QUEUE_URL: z._default(z.string(), ''),
  SUMMARIES_QUEUE_URL: z._default(z.string(), ''),
  MAILBOXES_QUEUE_URL: z._default(z.string(), ''),
  MAIL_BUCKET: z._default(z.string(), 'email-domain-security-mail'),
  SECOND_MAIL_BUCKET: z._default(z.string(), ''),
  SECOND_MAIL_REGION: z._default(z.string(), ''),
  ORIGIN_SECRET: z._default(z.string(), ''),
  SECRETS_KEY: z._default(z.string(), 'alias/email-domain-security'),
  SIGNING_KEY: z._default(z.string(), 'alias/email-domain-security-evidence'),
  HOST_URL: z._default(origin, 'http://localhost:3000'),
  REPORTS_DOMAIN: z._default(hostName, 'reports.localhost'),
  TESTER_DOMAIN: z._default(hostName, 'tester.localhost'),
  FORMER_REPORTS_DOMAINS: list(parseZones, ''),
  FORMER_TESTER_DOMAINS: list(parseZones, ''),
  SERVICE_LABEL: z._default(label, 'svc'),
  OIDC_ISSUER: z._default(issuer, ''),
  OIDC_CLIENT_ID: z._default(z.string(), ''),
  OIDC_CLIENT_SECRET: z._default(z.string(), ''),
  ALERT_SENDER: z._default(mailAddress, ''),
  /** Where mail leaves: `ses`, `outbox` (nowhere), or the address of a relay. */
  MAIL_TRANSPORT: z._default(z.string(), 'ses'),
  DNS_SERVERS: list(parseServers, ''),
  DNSSEC_TRUST_ANCHORS: list(readTrustAnchors, ''),
  PRIVATE_ADDRESSES: z._default(z.enum(['deny', 'allow'], 'must be "deny" or "allow"'), 'deny'),
  DIAL_MAP: list(parseDialMap, ''),
  PROBE_SMTP: z._default(z.enum(['on', 'off'], 'must be "on" or "off"'), 'on'),
  PUBLIC_CHECKS: z._default(z.enum(['on', 'off'], 'must be "on" or "off"'), 'on'),
  SECURITY_CONTACT: z._default(securityContact, ''),
  EXTRA_CA_FILE: z._default(z.string(), ''),
  BIMI_TRUST_ANCHORS_FILE: z._default(z.string(), ''),
  IP_DATA: list(parsePaths, ''),
  RDAP_BOOTSTRAP: z._default(rdapBootstrap, 'https://data.iana.org/rdap/dns.json'),
  BLOCKLISTS: list(
    parseBlocklists,
    Object.entries(publicBlocklists)
      .map(([role, zone]) => `${role}=${zone}`)
      .join(','),
  ),
  WATCH_BLOCKLISTS: z._default(z.enum(['on', 'off'], 'must be "on" or "off"'), 'off'),
  DOMAIN_BLOCKLISTS: list(parseZones, publicDomainBlocklists.join(',')),
  UNAUTHENTICATED_REPORTS: z._default(
    z.enum(['count', 'set-aside'], 'must be "count" or "set-aside"'),
    'count',
  ),
  CHECK_INTERVAL_SECONDS: wholeNumber(86_400, 1, YEAR_SECONDS),
  DOMAIN_LIMIT: wholeNumber(100, 0, MAX_DOMAIN_LIMIT),
  SCORE_THRESHOLD: wholeNumber(70, 0, MAX_SCORE),
  API_RATE_PER_MINUTE: wholeNumber(600, 0, MAX_RATE_PER_MINUTE),
  TOOL_RATE_PER_MINUTE: wholeNumber(30, 0, MAX_RATE_PER_MINUTE / POLLS_PER_CALL),
  RETENTION_DAYS: wholeNumber(0, 0, CENTURY_DAYS),
  LOG_LEVEL: z._default(
    z.enum(
      ['debug', 'info', 'warn', 'error', 'silent'],
      'must be "debug", "info", "warn", "error", or "silent"',
    ),
    'info',
  ),
  EVENTS_BUS: z._default(z.string(), ''),
  EVENTS_FILE: z._default(z.string(), ''),
  METRICS_NAMESPACE: z._default(z.string(), ''),
});

export type Config = z.output<typeof environmentSchema>;

/** The domains at which the service receives reports, and those of test messages: the present one first. */
export const reportsDomains = ({
  REPORTS_DOMAIN,
  FORMER_REPORTS_DOMAINS,
}: Pick<Config, 'REPORTS_DOMAIN' | 'FORMER_REPORTS_DOMAINS'>): readonly string[] => [
  REPORTS_DOMAIN,
  ...FORMER_REPORTS_DOMAINS,
];
export const testerDomains = ({
  TESTER_DOMAIN,
  FORMER_TESTER_DOMAINS,
}: Pick<Config, 'TESTER_DOMAIN' | 'FORMER_TESTER_DOMAINS'>): readonly string[] => [
  TESTER_DOMAIN,
  ...FORMER_TESTER_DOMAINS,
];

/** All domains whose mail the service receives. */
export const ownDomains = (
  given: Pick<
    Config,
    'REPORTS_DOMAIN' | 'FORMER_REPORTS_DOMAINS' | 'TESTER_DOMAIN' | 'FORMER_TESTER_DOMAINS'
  >,
): readonly string[] => [...reportsDomains(given), ...testerDomains(given)];

/** An invalid environment variable or setting; the message names it in one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a configuration from environment variables. An empty value counts as unset.
 * @throws ConfigError naming every invalid key.
 */
export function readEnvironment<S extends z.ZodMiniObject>(schema: S, environment: Environment): z.output<S> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; '),
  );
}

let kept: Config | undefined;

/** The configuration of this process, read on first use, so that modules can be imported without an environment. */
export function config(): Config {
  kept ??= readEnvironment(environmentSchema, process.env);
  return kept;
}

function readTrustAnchors(text: string): readonly TrustAnchor[] {
  if (text === '') return rootAnchors;
  const parsed = parseTrustAnchors(text);
  if (!parsed.ok)
    throw new Error(`must contain DS records such as ". IN DS 20326 8 2 E06D..."; invalid: ${parsed.entry}`);
  return parsed.anchors;
}
