/**
 * Sources that send as a domain: messages by source address, summed per day.
 *
 * Each day's sources are one compressed value in the day's detail item, which storing a report writes anyway. A window
 * therefore costs one small item per day, however many reports and rows it covers. An item per source and day would
 * cost a write per row of each report; an aggregate per report would make a window cost as much as it has reports.
 * A day lists the SOURCES_PER_DAY addresses with the most messages and counts the other messages together. The sums are
 * always exact; the list is exact unless a domain has more sources on one day.
 */
import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { isWithin } from '../../protocol/domain-name.ts';
import type { DmarcRecordRow } from '../../reports/report.ts';

/**
 * The number of messages, and how many of them have each property. `passed` means that DKIM or SPF passed aligned (RFC
 * 9989 section 4.4).
 */
export interface MessageCounts {
  readonly messages: number;
  readonly passed: number;
  readonly dkimAligned: number;
  readonly spfAligned: number;
  readonly quarantined: number;
  readonly rejected: number;
}

/** A source's counts, and a foreign domain that authenticated its mail. */
type SourceCounts = MessageCounts & { readonly authenticatedAs: string | null };

/** The stored form: messages, passed, dkimAligned, spfAligned, quarantined, rejected. */
const packedCounts = z.readonly(
  z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]),
);

type Packed = z.infer<typeof packedCounts>;

type PackedSource = readonly [address: string, counts: Packed, authenticatedAs: string | null];

export const daySources = z.object({
  /** Each source passes through unparsed: a year has up to 180,000 of them. */
  sources: z.custom<readonly PackedSource[]>(Array.isArray),
  others: packedCounts,
});

export type DaySources = Readonly<z.infer<typeof daySources>>;

/** A source over a window; days such as `2026-01-31`, UTC. */
export interface SourceInWindow extends SourceCounts {
  readonly address: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** About 20 bytes each when compressed, so a day's item stays below 10 KB. */
const SOURCES_PER_DAY = 500;
/** More than anyone receives in a day. Keeps sums within safe integers despite forged reports. */
const MESSAGES_PER_REPORT = 10 ** 10;
/** Longer names are dropped, because hostile reports could make a day's item large. */
const MAX_NAME = 80;

export const noMessages: MessageCounts = {
  messages: 0,
  passed: 0,
  dkimAligned: 0,
  spfAligned: 0,
  quarantined: 0,
  rejected: 0,
};

export function addMessages(a: MessageCounts, b: MessageCounts): MessageCounts {
  return unpack(sum(pack(a), pack(b)));
}

export type SourceCounter = ReturnType<typeof sourceCounter>;

/** Counts the rows of one report about `domain` or its subdomains, by source and in total. */
export function sourceCounter(domain: string) {
  const bySource = new Map<string, SourceCounts>();
  let all = noMessages;
  return {
    add(row: DmarcRecordRow): void {
      const counts = countsOf(row, Math.min(row.count, MESSAGES_PER_REPORT - all.messages));
      all = addMessages(all, counts);
      // Rows without a valid address are counted with the other messages.
      const address = isIP(row.sourceIp) === 0 ? '' : row.sourceIp;
      const known = bySource.get(address);
      const authenticatedAs = known?.authenticatedAs ?? foreignDomain(row, domain);
      bySource.set(address, { ...addMessages(known ?? noMessages, counts), authenticatedAs });
    },
    counts: (): MessageCounts => all,
    /** A day's sources with those of this report added. */
    addTo(day: DaySources | null): DaySources {
      const merged = new Map(bySource);
      for (const [address, packed, authenticatedAs] of day?.sources ?? []) {
        const known = merged.get(address);
        merged.set(address, {
          ...addMessages(unpack(packed), known ?? noMessages),
          authenticatedAs: authenticatedAs ?? known?.authenticatedAs ?? null,
        });
      }
      return largest(merged, day?.others ?? pack(noMessages));
    },
    /**
     * A day's sources with those of this report removed; the report must be one of the day. If a source was listed only
     * after the report was counted, its missing messages are taken from the others.
     */
    subtractFrom(day: DaySources | null): DaySources {
      const left = new Map<string, SourceCounts>();
      for (const [address, packed, authenticatedAs] of day?.sources ?? [])
        left.set(address, { ...unpack(packed), authenticatedAs });
      let others = day?.others ?? pack(noMessages);
      for (const [address, counts] of bySource) {
        const named = left.get(address) ?? { ...noMessages, authenticatedAs: null };
        const taken = smaller(pack(named), pack(counts));
        others = difference(others, difference(pack(counts), taken));
        const rest = unpack(difference(pack(named), taken));
        if (rest.messages > 0) left.set(address, { ...rest, authenticatedAs: named.authenticatedAs });
        else left.delete(address);
      }
      return largest(left, others);
    },
  };
}

/** The sources of several days together, most messages first, and the counts of the others. */
export function sourcesOfDays(days: readonly { readonly day: string; readonly sources: DaySources }[]): {
  sources: SourceInWindow[];
  others: MessageCounts;
} {
  const found = new Map<string, SourceInWindow>();
  let others = noMessages;
  for (const { day, sources } of days) {
    others = addMessages(others, unpack(sources.others));
    for (const [address, packed, authenticatedAs] of sources.sources) {
      const known = found.get(address);
      found.set(address, {
        address,
        ...addMessages(known ?? noMessages, unpack(packed)),
        authenticatedAs: known?.authenticatedAs ?? authenticatedAs,
        firstSeen: known === undefined || day < known.firstSeen ? day : known.firstSeen,
        lastSeen: known === undefined || day > known.lastSeen ? day : known.lastSeen,
      });
    }
  }
  return { sources: [...found.values()].sort(byMessages), others };
}

function largest(bySource: ReadonlyMap<string, SourceCounts>, others: Packed): DaySources {
  const inOrder = [...bySource].map(([address, counts]) => ({ address, ...counts })).sort(byMessages);
  const addresses = inOrder.filter(({ address }) => address !== '');
  const named = addresses.slice(0, SOURCES_PER_DAY);
  const rest = [...addresses.slice(SOURCES_PER_DAY), ...inOrder.filter(({ address }) => address === '')];
  return {
    sources: named.map(({ address, authenticatedAs, ...counts }) => [address, pack(counts), authenticatedAs]),
    others: rest.reduce((total, counts) => sum(total, pack(counts)), others),
  };
}

const byMessages = (
  a: { messages: number; address: string },
  b: { messages: number; address: string },
): number => b.messages - a.messages || (a.address < b.address ? -1 : 1);

function countsOf({ dkim, spf, disposition }: DmarcRecordRow, count: number): MessageCounts {
  const of = (holds: boolean) => (holds ? count : 0);
  return {
    messages: count,
    passed: of(dkim === 'pass' || spf === 'pass'),
    dkimAligned: of(dkim === 'pass'),
    spfAligned: of(spf === 'pass'),
    quarantined: of(disposition === 'quarantine'),
    rejected: of(disposition === 'reject'),
  };
}

/**
 * The domain that authenticated a row, if it is neither the monitored domain, nor below it, nor above it. It identifies
 * the operator of a source better than its address does.
 */
function foreignDomain(row: DmarcRecordRow, monitored: string): string | null {
  const passed = [...row.dkimResults, ...row.spfResults].find(
    ({ domain, result }) =>
      result === 'pass' &&
      domain !== '' &&
      domain.length <= MAX_NAME &&
      !isWithin(domain, monitored) &&
      !isWithin(monitored, domain),
  );
  return passed?.domain ?? null;
}

const pack = (counts: MessageCounts): Packed => [
  counts.messages,
  counts.passed,
  counts.dkimAligned,
  counts.spfAligned,
  counts.quarantined,
  counts.rejected,
];

const unpack = ([
  messages,
  passed,
  dkimAligned,
  spfAligned,
  quarantined,
  rejected,
]: Packed): MessageCounts => ({
  messages,
  passed,
  dkimAligned,
  spfAligned,
  quarantined,
  rejected,
});

const each = (a: Packed, b: Packed, of: (x: number, y: number) => number): Packed => [
  of(a[0], b[0]),
  of(a[1], b[1]),
  of(a[2], b[2]),
  of(a[3], b[3]),
  of(a[4], b[4]),
  of(a[5], b[5]),
];

const sum = (a: Packed, b: Packed): Packed => each(a, b, (x, y) => x + y);

/** Never below zero. */
const difference = (a: Packed, b: Packed): Packed => each(a, b, (x, y) => Math.max(0, x - y));

const smaller = (a: Packed, b: Packed): Packed => each(a, b, Math.min);
