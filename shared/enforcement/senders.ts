/**
 * Senders: who sends as a domain. Each message belongs to exactly one. Groups and ids depend on reports only, so that they
 * stay the same when DNS changes.
 */
import { createHash } from 'node:crypto';
import type * as z from 'zod/mini';
import { organizationalDomain } from '../protocol/domain-name.ts';
import { formatPrefix, parseIp, prefixOf } from '../protocol/ip.ts';
import { customerOf, providerOf } from '../protocol/providers.ts';
import type { RecordSummary } from '../reports/dmarc/summary/shapes.ts';
import { memoized } from '../reports/values.ts';
import type { SenderDecisions } from '../store/enforcement/decisions.ts';
import type { ReportDays } from './dependencies.ts';
import { OTHERS, providerIdOf, type senderKind } from './sender-fields.ts';
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

/**
 * Groups the messages of one domain. The returned functions keep what they calculated for equal names. A message belongs to:
 *
 * 1. the known provider that authenticated it, if DKIM or SPF authenticated it in the name of the owner too,
 * 2. else who else authenticated it: an organizational domain, or a customer's name in the domains of a provider,
 * 3. else the other customers of the known provider,
 * 4. else its network.
 */
export function senderGroups(domain: string) {
  const organizational = memoized(organizationalDomain);
  const home = organizational(domain);
  const signer = memoized((name: string) => providerOf(name, 'signature') ?? '');
  const relay = memoized((name: string) => providerOf(name, 'envelope') ?? '');
  const network = memoized(networkOf);
  const group = memoizedGroup();

  const isOwn = (name: string) => organizational(name) === home;

  /** Whether a message has a sign of the owner: an authenticated domain of the owner's organization. */
  const isAuthenticatedByOwner = ({ dkimDomains, mailFrom, spfResult }: RecordSummary): boolean =>
    dkimDomains.some(isOwn) || (mailFrom !== null && spfResult === 'pass' && isOwn(mailFrom));

  return {
    groupOf(record: RecordSummary): SenderGroup {
      const { dkimDomains, mailFrom, spfResult, sourceIp } = record;
      const authenticated = dkimDomains.map((name) => ({ name, provider: signer(name) }));
      if (mailFrom !== null && spfResult === 'pass') {
        authenticated.push({ name: mailFrom, provider: relay(mailFrom) });
      }
      const known = authenticated.find(({ provider }) => provider !== '')?.provider;
      if (known !== undefined && isAuthenticatedByOwner(record)) return group('provider', known);
      for (const { name, provider } of authenticated) {
        const other = provider === '' ? organizational(name) : customerOf(name);
        if (other !== undefined && other !== home) return group('domain', other);
      }
      if (known !== undefined) return group('others', known);
      return group('network', sourceIp === null ? 'unknown' : network(sourceIp));
    },

    /** The status of one message. Of an approved provider, only mail with a sign of the owner is approved. */
    statusOf(record: RecordSummary, { id, kind }: SenderGroup, decisions: SenderDecisions): SenderStatus {
      const status = statusAbout(id, decisions);
      if (status !== 'approved' || kind !== 'provider') return status;
      return isAuthenticatedByOwner(record) ? 'approved' : null;
    },
  };
}

/** The status of a sender. Without one, the other customers of a provider have that of the provider, unless it is approved. */
export function statusAbout(senderId: string, decisions: SenderDecisions): SenderStatus {
  const status = decisions.get(senderId)?.status ?? null;
  const provider = providerIdOf(senderId);
  if (status !== null || provider === undefined) return status;
  const ofProvider = decisions.get(provider)?.status ?? null;
  return ofProvider === 'approved' ? null : ofProvider;
}

function networkOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? 'unknown' : formatPrefix(prefixOf(ip, NETWORK_BITS[ip.family]));
}

function memoizedGroup() {
  const groups = new Map<string, SenderGroup>();
  return (of: SenderGroup['kind'] | 'others', name: string): SenderGroup => {
    const key = `${of} ${name}`;
    const known = groups.get(key);
    if (known !== undefined) return known;
    const kind = of === 'others' ? 'provider' : of;
    const hash = createHash('sha256').update(`${kind} ${name}`).digest('base64url').slice(0, 22);
    const group =
      of === 'others'
        ? { id: `${OTHERS}${hash}`, name: `${name}, other customers`, kind }
        : { id: `${kind}-${hash}`, name, kind };
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
  readonly firstSeen: string;
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
    .map((counted) => withDecision(figuresOf(counted), decisions));
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
  counted.lastSeen = day;
}

/** Override reasons of mail that went through an intermediary (RFC 9990 section 3.1.1.8, RFC 7489 section 6). */
export const FORWARDING: ReadonlySet<string> = new Set(['forwarded', 'mailing_list', 'trusted_forwarder']);

/** What reports say about a sender, without what its owner decided. */
export type SenderFigures = Omit<Sender, 'status' | 'note' | 'changedAt' | 'changedBy'>;

export function withDecision(figures: SenderFigures, decisions: SenderDecisions): Sender {
  const decision = decisions.get(figures.id);
  return {
    ...figures,
    status: statusAbout(figures.id, decisions),
    note: decision?.note ?? null,
    changedAt: decision?.changedAt ?? null,
    changedBy: decision?.changedBy ?? null,
  };
}

function figuresOf(counted: Counted): SenderFigures {
  const { group, messages, quarantined, rejected, addresses } = counted;
  return {
    ...group,
    suggestion: looksForwarded(counted) ? 'forwarder' : null,
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
