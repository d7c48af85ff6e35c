/**
 * Asks the blocklists of the mail tester about the addresses of a domain, once a day after a scheduled check run: those of its MX
 * hosts, those from which approved senders sent most, and listed ones whose mail pauses. What a list says about sending does not
 * count for hosts that only receive. A list that refuses, is broken or does not answer says nothing: what was listed stays listed,
 * and what was not is not called clean.
 */
import { aboutNothing, named } from '../attention/kinds.ts';
import type { CheckResults } from '../checks/results.ts';
import { type BlocklistRole, isAboutSendingOnly } from '../mail-test/blocklist-zones.ts';
import { inspectBlocklists } from '../mail-test/blocklists.ts';
import type { Dns } from '../protocol/dns.ts';
import { dayAt } from '../protocol/time.ts';
import { daysBefore } from '../reports/day.ts';
import { withAuthenticated } from '../reports/dmarc/summary/shapes.ts';
import type { AttentionChanges, Held } from '../store/attention-changes.ts';
import type { DomainItem } from '../store/attention-items.ts';
import type { BlocklistingStore, StoredListing } from '../store/check-runs/blocklistings.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import { isRegistered } from '../store/domains/writes.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';
import type { SummaryStore } from '../store/reports/summaries.ts';
import { senderGroups } from './senders.ts';

export interface BlocklistDependencies {
  /** The lists to ask; none if this installation does not ask on schedule. */
  readonly zones: ReadonlyMap<BlocklistRole, string>;
  readonly stored: BlocklistingStore;
  readonly summaries: Pick<SummaryStore, 'eachDay'>;
  readonly decisions: Pick<DecisionStore, 'list'>;
  readonly attention: Pick<AttentionChanges, 'open' | 'apply'>;
}

interface Run {
  readonly results: CheckResults;
  readonly items?: readonly DomainItem[] | undefined;
  readonly dns: Dns;
  readonly now: Date;
}

const INTERVAL_MILLISECONDS = 22 * 3_600_000;
/** Each address is a query to each list. */
const MAX_MX_ADDRESSES = 5;
const MAX_SENDER_ADDRESSES = 10;
const SENT_DAYS = 7;
/** Mail can pause: a listed address counts as sending for so long after its last message. Some senders send once a month. */
const PAUSE_DAYS = 35;

export async function watchBlocklists(
  domain: DomainReference,
  { zones, stored: store, attention, ...sent }: BlocklistDependencies,
  { results, items, dns, now }: Run,
): Promise<void> {
  const guard = [isRegistered(domain)];
  if (zones.size === 0) {
    // It was open before lists were no longer asked.
    if (items?.some(({ kind }) => kind === 'blocklisted'))
      await attention.apply(domain, items, { blocklisted: null }, { guard, now });
    return;
  }
  const before = await store.get(domain.id);
  if (before !== undefined && now.getTime() - Date.parse(before.askedAt) < INTERVAL_MILLISECONDS) return;
  const ofHosts = results.mx.hosts.flatMap(({ ip }) => ip ?? []);
  const { approved, sending, unapproved } = await sendingAddresses(domain, sent, now);
  const addresses = new Set([...new Set(ofHosts)].slice(0, MAX_MX_ADDRESSES));
  for (const address of approved) addresses.add(address);
  const known = before?.listings ?? [];
  const oldest = daysBefore(dayAt(now), PAUSE_DAYS);
  const pausing = known.flatMap(({ address, sent: day = '' }) =>
    day >= oldest && !unapproved.has(address) ? [address] : [],
  );
  const others = new Set(pausing.filter((address) => !addresses.has(address)));
  for (const address of [...others].slice(0, MAX_SENDER_ADDRESSES)) addresses.add(address);
  const listings = await askAbout([...addresses], known, { zones, dns, now, sending, pausing });
  await store.keep(domain, { askedAt: now.toISOString(), listings });
  const open = items ?? (await attention.open(domain.id));
  await attention.apply(domain, open, { blocklisted: heldOf(listings) }, { guard, now });
}

interface Sending {
  /** Those from which approved senders sent most. */
  readonly approved: readonly string[];
  /** All that sent as the domain, except those of senders that the owner called unauthorized. */
  readonly sending: ReadonlySet<string>;
  /** All that sent as the domain, and nothing for an approved sender. */
  readonly unapproved: ReadonlySet<string>;
}

/** The addresses that sent messages in the last days, by reports that nobody can forge. */
async function sendingAddresses(
  { id, domain }: DomainReference,
  { summaries, decisions: store }: Pick<BlocklistDependencies, 'summaries' | 'decisions'>,
  now: Date,
): Promise<Sending> {
  const decisions = await store.list(id);
  const { groupOf, statusOf } = senderGroups(domain);
  const to = dayAt(now);
  const messages = new Map<string, number>();
  const sending = new Set<string>();
  const seen = new Set<string>();
  for await (const day of summaries.eachDay(id, { from: daysBefore(to, SENT_DAYS - 1), to }, now))
    for (const { records } of withAuthenticated(day).summaries)
      for (const record of records) {
        const { sourceIp, count } = record;
        if (sourceIp === null) continue;
        seen.add(sourceIp);
        const status = statusOf(record, groupOf(record), decisions);
        if (status !== 'unauthorized') sending.add(sourceIp);
        if (status === 'approved') messages.set(sourceIp, (messages.get(sourceIp) ?? 0) + count);
      }
  const approved = [...messages]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_SENDER_ADDRESSES)
    .map(([address]) => address);
  return { approved, sending, unapproved: new Set([...seen].filter((address) => !messages.has(address))) };
}

async function askAbout(
  addresses: readonly string[],
  before: readonly StoredListing[],
  { zones, dns, now, sending, pausing }: AskedWith,
): Promise<readonly StoredListing[]> {
  const answers = await Promise.all(
    addresses.map(async (address) => ({ address, answer: await inspectBlocklists(address, zones, dns) })),
  );
  return answers.flatMap(({ address, answer: { results } }) =>
    results.flatMap(({ zone, listed, reason, codes }) => {
      const known = before.find((one) => one.address === address && one.zone === zone);
      if (listed === null) return known ?? [];
      const sends = sending.has(address) || pausing.includes(address);
      if (!listed || (isAboutSendingOnly(zone, codes) && !sends)) return [];
      const sent = sending.has(address) ? dayAt(now) : known?.sent;
      return [{ address, zone, since: known?.since ?? now.toISOString(), reason, sent }];
    }),
  );
}

interface AskedWith
  extends Pick<Run, 'dns' | 'now'>,
    Pick<BlocklistDependencies, 'zones'>,
    Pick<Sending, 'sending'> {
  /** Listed addresses that sent until lately. */
  readonly pausing: readonly string[];
}

function heldOf(listings: readonly StoredListing[]): Held | null {
  const [first] = listings.map(({ since }) => since).toSorted();
  if (first === undefined) return null;
  const names = listings.map(({ address, zone }) => `${address} (${zone})`);
  const reason = listings.find((one) => one.reason !== null)?.reason ?? null;
  return { since: first, about: { ...aboutNothing, ...named(names), reason } };
}
