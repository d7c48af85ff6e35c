/** The MX check: which hosts receive mail for a domain, whether they accept it, and how mail to them is protected. */
import type { Network } from '../../network/ports.ts';
import { type Answer, isNonExistent, type MxRecord, whyFailed } from '../../protocol/dns.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../../protocol/findings/finding.ts';
import { mxRules } from '../../protocol/findings/mx.ts';
import { mxTlsRules } from '../../protocol/findings/mx-tls.ts';
import { parseIp } from '../../protocol/ip.ts';
import { isNullMx } from '../../protocol/null-mx.ts';
import type { ServedHosts } from '../../protocol/served-chain.ts';
import { isSpfRecord, listsSenders } from '../../protocol/spf/record.ts';
import { inspectAgreement } from '../dnssec/name-servers.ts';
import { outcomeOf, withFindings } from '../outcome.ts';
import { mxText } from '../records.ts';
import type { Reception } from './address.ts';
import { type CheckedMxHost, checkMxHost } from './host.ts';
import type { EmailReceptionCapability, MxHost, MxResult } from './result.ts';
import type { OnTlsa } from './rollover.ts';
import type { Authenticate } from './tlsa.ts';

interface MxOptions {
  /** Returns the DNSSEC status of an answer. */
  readonly authenticate: Authenticate;
  /** A mailbox of the domain to test with RCPT TO; no mail is sent. */
  readonly recipient?: string;
  /** What the hosts served in earlier check runs. */
  readonly served?: ServedHosts;
  readonly onTlsa?: OnTlsa;
  /** False: do not connect to the hosts, do only the DNS lookups. Default: true. */
  readonly probe?: boolean;
}

type MxNetwork = Pick<Network, 'dns' | 'smtp' | 'clock' | 'authorities'>;

/** Maximum number of MX hosts to check, the most preferred first. */
const MAX_HOSTS = 10;

const raise = raiser({ ...mxRules, ...mxTlsRules });

/** Checks the MX records of `domain` and the hosts that they name (RFC 5321 section 5.1). Never throws. */
export async function inspectMx(domain: string, network: MxNetwork, options: MxOptions): Promise<MxResult> {
  const question = { domain, name: domain, type: 'MX', records: 'MX', print: mxText } as const;
  const [result, disagreements] = await Promise.all([
    inspectRecords(domain, network, options),
    inspectAgreement(network, question),
  ]);
  return withFindings(result, disagreements);
}

async function inspectRecords(domain: string, network: MxNetwork, options: MxOptions): Promise<MxResult> {
  const answer = await network.dns.lookup(domain, 'MX', { dnssec: true });
  if (answer.status === 'unavailable') {
    return withoutHosts([raise('mx-record-unavailable', { reason: whyFailed(answer) })], null);
  }
  if (answer.status === 'absent') return withoutRecords(domain, answer, network);

  const records = answer.records.toSorted(byPreference);
  const mail = records.filter((record) => !isNullMx(record));
  const shown = records.map(({ preference, exchange }) => ({
    priority: preference,
    exchange: exchange || '.',
  }));
  if (mail.length === 0) {
    const preference = records[0]?.preference ?? 0;
    const findings = [
      ...(preference === 0 ? [] : [raise('mx-null-preference', { preference })]),
      ...((await hasSenders(domain, network)) ? [raise('mx-null-beside-senders')] : []),
    ];
    return { ...withoutHosts(findings, 'null-mx'), records: shown };
  }

  const named = mail.filter((record, index) => mail.findIndex(sameHost(record)) === index);
  const problems = named.map(({ exchange }) => nameProblem(exchange));
  const hosts = named.filter((_, index) => problems[index] === undefined);
  const { probe = true, served = [], ...others } = options;
  const { authenticate } = options;
  const visit = { domain, probe, served, ...others };
  const [visited, proof] = await Promise.all([
    Promise.all(
      hosts.slice(0, MAX_HOSTS).map((it) => checkMxHost(it.exchange, it.preference, network, visit)),
    ),
    authenticate(answer),
  ]);

  const receptions = visited.flatMap((host) => host.receptions);
  const capability = probe
    ? capabilityOf(problems.some(Boolean) ? [...receptions, 'unreachable'] : receptions)
    : null;
  const entries = visited.flatMap((host) => host.entries);
  const notVisited = hosts.slice(MAX_HOSTS).map(() => null);
  const notDialled = visited.some((host) => host.notDialled);
  const noneProbed = notDialled || (visited.length > 0 && visited.every(({ silent }) => silent));
  const findings = [
    ...(mail.length < records.length ? [raise('mx-null-mixed')] : []),
    ...problems.filter((problem) => problem !== undefined),
    ...(hosts.length > MAX_HOSTS ? [raise('mx-many-hosts', { hosts: hosts.length, asked: MAX_HOSTS })] : []),
    // One finding is clearer than one per address.
    ...(noneProbed ? [raise(notDialled ? 'mx-port-25-not-asked' : 'mx-none-asked')] : []),
    ...visited.flatMap((host) => host.findings).filter(({ id }) => !(noneProbed && id === 'mx-not-asked')),
    ...backupFindings(visited, hosts),
    ...(hosts.length === visited.length && visited.length > 0 && visited.every(({ onlyIpv6 }) => onlyIpv6)
      ? [raise('mx-ipv6-only')]
      : []),
    ...(proof === 'bogus' ? [raise('mx-records-bogus')] : []),
    ...daneFindings(visited, proof),
  ];
  if (probe && !noneProbed && isNoneChecked(entries, receptions))
    findings.push(raise('mx-none-checked', { domain }));
  const acceptsNone = capability === 'unreachable' || capability === 'relay-denied';
  // An error says already why no host accepts mail.
  if (acceptsNone && !hasErrors(findings)) findings.push(raise('mx-none-accepts', { domain }));
  return {
    ...outcomeOf(findings),
    records: shown,
    hosts: entries,
    tlsSupported: allOf([...entries.map(({ tlsSupported }) => tlsSupported), ...notVisited]),
    daneSupported: proof !== 'bogus' && allOf([...visited.map(({ dane }) => dane), ...notVisited]),
    emailReceptionCapability: capability,
  };
}

function byPreference(a: MxRecord, b: MxRecord): number {
  return a.preference - b.preference || (a.exchange < b.exchange ? -1 : Number(a.exchange > b.exchange));
}

function sameHost({ exchange }: MxRecord): (other: MxRecord) => boolean {
  return (other) => other.exchange === exchange;
}

/** Without MX records, senders fall back to the address of the domain itself (RFC 5321 section 5.1). */
async function withoutRecords(
  domain: string,
  answer: Answer<MxRecord>,
  { dns }: MxNetwork,
): Promise<MxResult> {
  const addresses = await Promise.all([dns.lookup(domain, 'A'), dns.lookup(domain, 'AAAA')]);
  // Some servers return NXDOMAIN for names that exist but do not have the requested record type.
  if ([answer, ...addresses].every(isNonExistent)) {
    return withoutHosts([raise('mx-no-such-domain', { domain })], 'no-mail');
  }
  const isImplicit = addresses.some(({ status }) => status === 'found');
  const failed = addresses.find((address) => address.status === 'unavailable');
  const finding =
    isImplicit || failed === undefined
      ? raise(isImplicit ? 'mx-implicit' : 'mx-missing')
      : raise('mx-fallback-unavailable', { domain, reason: whyFailed(failed) });
  return withoutHosts([finding], 'no-mail');
}

/** Whether the SPF record lists senders. */
async function hasSenders(domain: string, { dns }: MxNetwork): Promise<boolean> {
  const answer = await dns.lookup(domain, 'TXT');
  const records = answer.status === 'found' ? answer.records.filter(isSpfRecord) : [];
  return records.length === 1 && records.every(listsSenders);
}

function withoutHosts(findings: readonly Finding[], capability: EmailReceptionCapability | null): MxResult {
  const supported = capability === null ? null : false;
  return {
    ...outcomeOf(findings),
    records: [],
    hosts: [],
    tlsSupported: supported,
    daneSupported: supported,
    emailReceptionCapability: capability,
  };
}

/** Why an exchange is not a usable host name. Underscores violate the rules, but they work. */
function nameProblem(exchange: string): Finding | undefined {
  const host = excerpt(exchange, 253);
  if (parseIp(exchange.replace(/^\[(.*)\]$/, '$1')) !== undefined)
    return raise('mx-address-literal', { host });
  const labels = exchange.split('.');
  if (labels.every((label) => /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/.test(label))) return undefined;
  return raise('mx-invalid-name', { host });
}

/** One host that accepts mail is enough. A host that could not be checked might accept it; otherwise rejections count. */
function capabilityOf(receptions: readonly Reception[]): EmailReceptionCapability | null {
  if (receptions.includes('accepts')) return 'active';
  if (receptions.includes('unknown')) return null;
  return receptions.includes('denies') ? 'relay-denied' : 'unreachable';
}

/** An attacker who blocks the preferred hosts can force delivery to the weakest backup (RFC 7672 section 1.3.1). */
function backupFindings(visited: readonly CheckedMxHost[], records: readonly MxRecord[]): Finding[] {
  const first = records[0]?.preference;
  const isPreferred = (host: CheckedMxHost) =>
    records.some(({ exchange, preference }) => exchange === host.hostname && preference === first);
  const preferred = visited.filter(isPreferred).flatMap(({ protection }) => protection ?? []);
  if (preferred.length === 0) return [];
  const least = Math.min(...preferred);
  return visited
    .filter((host) => !isPreferred(host) && host.protection !== null && host.protection < least)
    .map(({ hostname: host, protection }) =>
      raise('mx-backup-weaker', { host, has: protection === 0 ? 'no TLS' : 'TLS problems' }),
    );
}

function daneFindings(
  visited: readonly CheckedMxHost[],
  proof: Awaited<ReturnType<Authenticate>>,
): Finding[] {
  if (!visited.some(({ dane }) => dane === true)) return [];
  const without = visited.filter(({ dane }) => dane === false).map(({ hostname }) => hostname);
  return [
    ...(without.length > 0 ? [raise('mx-dane-partial', { hosts: without })] : []),
    ...(proof === 'insecure' ? [raise('mx-dane-records-not-signed')] : []),
    ...(proof === 'deprecated' ? [raise('mx-dane-records-sha1')] : []),
  ];
}

/** Whether no host could be checked. */
function isNoneChecked(entries: readonly MxHost[], receptions: readonly Reception[]): boolean {
  return (
    entries.length > 0 &&
    receptions.every((it) => it === 'unknown') &&
    entries.every(({ tlsSupported }) => tlsSupported === null)
  );
}

/** True if all values are true, false if one is false, null if one is unknown or there are none. */
function allOf(values: readonly (boolean | null)[]): boolean | null {
  if (values.includes(false)) return false;
  return values.length === 0 || values.includes(null) ? null : true;
}
