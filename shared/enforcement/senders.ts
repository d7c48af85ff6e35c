/**
 * Senders: who sends as a domain. Each message belongs to exactly one: the known provider of an authenticated domain,
 * else the organizational domain of an authenticated domain other than the owner's, else the network. Groups and ids
 * depend on reports only, so that they stay the same when DNS changes.
 */
import { createHash } from 'node:crypto';
import type * as z from 'zod/mini';
import { organizationalDomain } from '../protocol/domain-name.ts';
import { formatPrefix, parseIp, prefixOf } from '../protocol/ip.ts';
import { providerOf } from '../protocol/providers.ts';
import type { RecordSummary } from '../reports/dmarc/summary/shapes.ts';
import { memoized } from '../reports/values.ts';
import type { SenderDecision, SenderDecisions } from '../store/enforcement/decisions.ts';
import type { ReportDays } from './dependencies.ts';
import type { senderKind } from './sender-fields.ts';
import type { Sender, SenderStatus } from './shapes.ts';

export interface SenderGroup {
  readonly id: string;
  readonly name: string;
  readonly kind: z.infer<typeof senderKind>;
}

/** The prefix lengths of networks. */
const NETWORK_BITS = { 4: 24, 6: 48 } as const;
/** A second sign of a forwarder, beside DKIM that passes while SPF fails: mail from this many networks. */
const MANY_NETWORKS = 5;
/** The share of messages that must look forwarded. */
const FORWARDED_SHARE = 0.8;

/** Groups the messages of one domain. The returned functions keep what they calculated for equal names. */
export function senderGroups(domain: string) {
  const organizational = memoized(organizationalDomain);
  const home = organizational(domain);
  const provider = memoized((name: string) => providerOf(name) ?? '');
  const network = memoized(networkOf);
  const group = memoizedGroup();

  return {
    groupOf(record: RecordSummary): SenderGroup {
      const domains = authenticatedDomains(record);
      for (const name of domains) {
        const known = provider(name);
        if (known !== '') return group('provider', known);
      }
      for (const name of domains) {
        const owner = organizational(name);
        if (owner !== home) return group('domain', owner);
      }
      return group('network', record.sourceIp === null ? 'unknown' : network(record.sourceIp));
    },

    /** The status of one message. Of an approved provider, only mail with a sign of this tenant is approved. */
    statusOf(record: RecordSummary, { id, kind }: SenderGroup, decisions: SenderDecisions): SenderStatus {
      const decision = decisions.get(id);
      if (decision === undefined) return null;
      if (decision.status !== 'approved' || kind !== 'provider') return decision.status;
      const { dkimDomains, mailFrom } = record;
      const isAligned = dkimDomains.some((name) => organizational(name) === home);
      const isOwnEnvelope = mailFrom !== null && decision.envelopeDomains.includes(mailFrom);
      return isAligned || isOwnEnvelope ? 'approved' : null;
    },
  };
}

/** The domains whose DKIM signature or SPF result is a pass. */
function authenticatedDomains({ dkimDomains, mailFrom, spfResult }: RecordSummary): readonly string[] {
  return mailFrom !== null && spfResult === 'pass' ? [...dkimDomains, mailFrom] : dkimDomains;
}

function networkOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? 'unknown' : formatPrefix(prefixOf(ip, NETWORK_BITS[ip.family]));
}

function memoizedGroup() {
  const groups = new Map<string, SenderGroup>();
  return (kind: SenderGroup['kind'], name: string): SenderGroup => {
    const key = `${kind} ${name}`;
    const known = groups.get(key);
    if (known !== undefined) return known;
    const id = createHash('sha256').update(key).digest('base64url').slice(0, 22);
    const group = { id: `${kind}-${id}`, name, kind };
    groups.set(key, group);
    return group;
  };
}

/** Whether a message passed DMARC at its receiver. */
export const passed = ({ dkim, spf }: RecordSummary): boolean => dkim === 'pass' || spf === 'pass';

/** The percentage of `part`, with two decimals; null if `whole` is 0. */
export function percentage(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((10_000 * part) / whole) / 100;
}

interface Counted {
  readonly group: SenderGroup;
  messages: number;
  passed: number;
  dkimAligned: number;
  spfAligned: number;
  quarantined: number;
  rejected: number;
  forwarded: number;
  overridden: number;
  readonly addresses: Set<string>;
  readonly networks: Set<string>;
  firstSeen: string;
  lastSeen: string;
}

/** The senders of a window, most messages first; senders with a decision and without messages are not in it. */
export async function sendersOf(
  domain: string,
  days: ReportDays,
  decisions: SenderDecisions,
): Promise<readonly Sender[]> {
  const { groupOf } = senderGroups(domain);
  const found = new Map<string, Counted>();
  for await (const { day, summaries } of days) {
    for (const { records } of summaries) {
      for (const record of records) {
        const group = groupOf(record);
        const counted = found.get(group.id) ?? newlyCounted(group, day);
        found.set(group.id, counted);
        add(counted, day, record);
      }
    }
  }
  return [...found.values()]
    .toSorted((a, b) => b.messages - a.messages || (a.group.id < b.group.id ? -1 : 1))
    .map((counted) => shown(counted, decisions.get(counted.group.id)));
}

function newlyCounted(group: SenderGroup, day: string): Counted {
  const counts = { messages: 0, passed: 0, dkimAligned: 0, spfAligned: 0, quarantined: 0, rejected: 0 };
  const signs = { forwarded: 0, overridden: 0, addresses: new Set<string>(), networks: new Set<string>() };
  return { group, ...counts, ...signs, firstSeen: day, lastSeen: day };
}

function add(counted: Counted, day: string, record: RecordSummary): void {
  const { count, sourceIp, dkim, spf, disposition, overrides } = record;
  counted.messages += count;
  if (passed(record)) counted.passed += count;
  if (dkim === 'pass') counted.dkimAligned += count;
  if (spf === 'pass') counted.spfAligned += count;
  if (disposition === 'quarantine') counted.quarantined += count;
  if (disposition === 'reject') counted.rejected += count;
  if (dkim === 'pass' && spf === 'fail') counted.forwarded += count;
  if (overrides.some((type) => FORWARDING.has(type))) counted.overridden += count;
  if (sourceIp !== null && !counted.addresses.has(sourceIp)) {
    counted.addresses.add(sourceIp);
    counted.networks.add(networkOf(sourceIp));
  }
  if (day < counted.firstSeen) counted.firstSeen = day;
  if (day > counted.lastSeen) counted.lastSeen = day;
}

/** Override reasons of mail that went through an intermediary (RFC 9990 section 3.1.1.8, RFC 7489 section 6). */
export const FORWARDING: ReadonlySet<string> = new Set(['forwarded', 'mailing_list', 'trusted_forwarder']);

function shown(counted: Counted, decision: SenderDecision | undefined): Sender {
  const { group, messages, quarantined, rejected, addresses } = counted;
  return {
    ...group,
    status: decision?.status ?? null,
    suggestion: looksForwarded(counted) ? 'forwarder' : null,
    note: decision?.note ?? null,
    changedAt: decision?.changedAt ?? null,
    changedBy: decision?.changedBy ?? null,
    messages,
    passedMessages: counted.passed,
    failedMessages: messages - counted.passed,
    passRate: percentage(counted.passed, messages),
    dkimAligned: counted.dkimAligned,
    spfAligned: counted.spfAligned,
    disposition: { none: messages - quarantined - rejected, quarantine: quarantined, reject: rejected },
    sources: addresses.size,
    firstSeen: counted.firstSeen,
    lastSeen: counted.lastSeen,
  };
}

function looksForwarded({ messages, forwarded, overridden, networks }: Counted): boolean {
  const hasSecondSign = overridden > 0 || networks.size >= MANY_NETWORKS;
  return messages > 0 && forwarded >= FORWARDED_SHARE * messages && hasSecondSign;
}
