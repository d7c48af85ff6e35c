/** Checks one MX host: its addresses, the SMTP answer of each, and its TLSA records. */

import type { Network, SmtpAnswer } from '../../network/ports.ts';
import { type Answer, type Dns, whyFailed } from '../../protocol/dns.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, isSame, raiser } from '../../protocol/findings/finding.ts';
import { mxRules } from '../../protocol/findings/mx.ts';
import { mxRolloverRules } from '../../protocol/findings/mx-rollover.ts';
import { unownedRules } from '../../protocol/findings/unowned.ts';
import { historyOf, type ServedHosts } from '../../protocol/served-chain.ts';
import { stateOf } from '../outcome.ts';
import type { CheckState } from '../state.ts';
import { unownedBehind } from '../unowned.ts';
import {
  type Protection,
  protectionOf,
  type Reception,
  receptionFindings,
  receptionOf,
  tlsFields,
  tlsFindings,
  unknownTls,
} from './address.ts';
import { judgeDane } from './dane.ts';
import { addressesOf, lookupAddresses, type ProbeOptions, probeAddresses } from './mail-host.ts';
import type { MxHost } from './result.ts';
import { type OnTlsa, rolloverFindings } from './rollover.ts';
import { type Authenticate, findTlsa, type HostTlsa } from './tlsa.ts';

const raise = raiser({ ...mxRules, ...unownedRules });

interface MxHostOptions extends ProbeOptions {
  readonly domain: string;
  readonly authenticate: Authenticate;
  /** What the hosts served in earlier check runs. */
  readonly served?: ServedHosts;
  readonly onTlsa?: OnTlsa;
}

export interface CheckedMxHost {
  readonly hostname: string;
  /** One entry per probed address; a single entry if none was probed. */
  readonly entries: readonly MxHost[];
  readonly receptions: readonly Reception[];
  /** The host has IPv6 addresses and no IPv4 address. */
  readonly onlyIpv6: boolean;
  /** The host was probed, and no address answered. */
  readonly silent: boolean;
  /** The host was not probed, because this installation does not connect to port 25. */
  readonly notDialled: boolean;
  /** The weakest protection among the addresses; null if unknown for all of them. */
  readonly protection: Protection | null;
  /** Senders can use DANE; null if unknown. */
  readonly dane: boolean | null;
  readonly findings: readonly Finding[];
}

/** Checks a host. Never throws. */
export async function checkMxHost(
  hostname: string,
  priority: number,
  network: Pick<Network, 'dns' | 'smtp' | 'clock'>,
  options: MxHostOptions,
): Promise<CheckedMxHost> {
  const { dns, smtp, clock } = network;
  const addresses = lookupAddresses(hostname, dns);
  const [lookups, answers, tlsa] = await Promise.all([
    addresses,
    addresses.then((found) => probeAddresses(hostname, found, smtp, options)),
    findTlsa(hostname, addresses, dns, options.authenticate),
  ]);

  if (tlsa.status === 'usable') options.onTlsa?.(hostname, tlsa.records);
  const now = clock.now();
  const aboutAddresses = await addressFindings(hostname, lookups, options.domain, dns);
  const findings: Finding[] = [...aboutAddresses, ...tlsa.findings];
  const [ipv4, ipv6] = lookups.map(({ status }) => status);
  const onlyIpv6 = ipv4 === 'absent' && ipv6 === 'found';
  if (answers.length === 0) {
    const absent = lookups.every(({ status }) => status === 'absent');
    const reception = absent && options.probe !== false ? 'unreachable' : 'unknown';
    const state = reception === 'unknown' ? 'unknown' : 'fail';
    const entry = { hostname, priority, ip: addressesOf(lookups)[0] ?? null, ...unknownTls, state } as const;
    const dane = supportsDane(tlsa, []);
    return {
      hostname,
      entries: [entry],
      receptions: [reception],
      onlyIpv6,
      silent: false,
      notDialled: false,
      protection: null,
      dane,
      findings,
    };
  }
  const visit = async (answer: SmtpAnswer) => {
    const dane = await judgeDane(options.domain, hostname, tlsa, answer, smtp);
    const reception = receptionOf(answer);
    const tls = tlsFindings(hostname, answer, dane, now);
    const about = [
      ...receptionFindings(hostname, answer, options.recipient),
      ...tls,
      ...dane.findings,
      ...(dane.matches === true ? renewalFindings(answer) : []),
    ];
    const state = hostState(reception, about);
    const entry: MxHost = { hostname, priority, ip: answer.evidence.address, ...tlsFields(answer), state };
    return { entry, reception, about, protection: protectionOf(answer, tls), matches: dane.matches };
  };
  const renewalFindings = (answer: SmtpAnswer): readonly Finding[] => {
    if (tlsa.status !== 'usable' || answer.status !== 'found' || answer.starttls.status !== 'established')
      return [];
    const { base, records } = tlsa;
    const before = historyOf(options.served ?? [], hostname, answer.evidence.address);
    const published = { host: hostname, base, domain: options.domain, records };
    return rolloverFindings(published, answer.starttls.certificate, before, now);
  };
  const visits = await Promise.all(answers.map(visit));
  const protections = visits.map(({ protection }) => protection).filter((it) => it !== null);
  return {
    hostname,
    entries: visits.map(({ entry }) => entry),
    receptions: visits.map(({ reception }) => reception),
    onlyIpv6,
    silent: answers.every(isSilent),
    notDialled: answers.some(isNotDialled),
    protection: protections.toSorted((a, b) => a - b)[0] ?? null,
    dane: supportsDane(
      tlsa,
      visits.map(({ matches }) => matches),
    ),
    findings: onePerHost([...findings, ...visits.flatMap(({ about }) => about)]),
  };
}

/** Findings about the next renewal are about the host; the addresses of one usually have the same certificate. */
function onePerHost(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    (found, index) =>
      !(found.id in mxRolloverRules) || findings.findIndex((other) => isSame(other, found)) === index,
  );
}

async function addressFindings(
  host: string,
  lookups: readonly Answer<string>[],
  domain: string,
  dns: Dns,
): Promise<Finding[]> {
  const isAlias = lookups.some((answer) => answer.status !== 'unavailable' && answer.aliases.length > 0);
  const alias = isAlias ? [raise('mx-alias', { host })] : [];
  if (lookups.some(({ status }) => status === 'found')) return alias;
  const failed = lookups.find((answer) => answer.status === 'unavailable');
  if (failed !== undefined)
    return [...alias, raise('mx-address-unavailable', { host, reason: whyFailed(failed) })];
  // A host without an address is a mistake. If its domain is unregistered, anyone can register it and get the mail.
  const [answer] = lookups;
  const unowned = answer && (await unownedBehind(host, answer, domain, dns));
  if (unowned === undefined) return [...alias, raise('mx-no-address', { host })];
  const { owner, target } = unowned;
  // Nobody should put the target of such an alias into the MX record.
  if (target !== undefined) return [raise('unowned-mx-alias', { host, target: excerpt(target), owner })];
  return [raise('mx-dangling', { host, owner })];
}

function isSilent(answer: SmtpAnswer): boolean {
  return answer.status === 'unavailable' && ['timeout', 'unreachable', 'deadline'].includes(answer.reason);
}

function isNotDialled(answer: SmtpAnswer): boolean {
  return answer.status === 'unavailable' && answer.reason === 'not-dialled';
}

function hostState(reception: Reception, findings: readonly Finding[]): CheckState {
  if (reception === 'denies' || reception === 'unreachable') return 'fail';
  const state = stateOf(findings);
  return state === 'pass' && reception === 'unknown' ? 'unknown' : state;
}

/** An address that could not be checked does not count against the records. */
function supportsDane(tlsa: HostTlsa, matches: readonly (boolean | null)[]): boolean | null {
  if (tlsa.status === 'unknown') return null;
  return tlsa.status === 'usable' && !matches.includes(false);
}
