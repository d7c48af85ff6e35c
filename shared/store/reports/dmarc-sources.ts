/**
 * Sources that send as a domain: messages by source address, from the record summaries of each day. A day lists the
 * SOURCES_PER_DAY addresses with the most messages and counts the other messages together. The sums are always exact; the
 * list is exact unless a domain has more sources on one day.
 */
import { isWithin } from '../../protocol/domain-name.ts';
import type { DaySummary, RecordSummary } from '../../reports/dmarc/summary/shapes.ts';

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

/** A source over a window; days such as `2026-01-31`, UTC. */
export interface SourceInWindow extends MessageCounts {
  readonly address: string;
  /** A foreign domain that authenticated its mail. */
  readonly authenticatedAs: string | null;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

export interface Sources {
  /** Most messages first. */
  readonly sources: readonly SourceInWindow[];
  /** The messages of sources that are not listed. */
  readonly others: MessageCounts;
  readonly all: MessageCounts;
}

const SOURCES_PER_DAY = 500;
/** Longer names are not shown. */
const MAX_NAME = 80;

export const noMessages: MessageCounts = {
  messages: 0,
  passed: 0,
  dkimAligned: 0,
  spfAligned: 0,
  quarantined: 0,
  rejected: 0,
};

export const addMessages = (a: MessageCounts, b: MessageCounts): MessageCounts => ({
  messages: a.messages + b.messages,
  passed: a.passed + b.passed,
  dkimAligned: a.dkimAligned + b.dkimAligned,
  spfAligned: a.spfAligned + b.spfAligned,
  quarantined: a.quarantined + b.quarantined,
  rejected: a.rejected + b.rejected,
});

/** `count` messages with the results of a record. */
export function messagesWith(
  { dkim, spf, disposition }: { readonly dkim: string; readonly spf: string; readonly disposition: string },
  count: number,
): MessageCounts {
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

/** The sources of `domain` on some days. */
export async function sourcesOf(
  domain: string,
  days: AsyncIterable<DaySummary> | Iterable<DaySummary>,
): Promise<Sources> {
  const found = new Map<string, SourceInWindow>();
  let others = noMessages;
  for await (const day of days) {
    const ofDay = sourcesOfDay(domain, day);
    others = addMessages(others, ofDay.others);
    for (const source of ofDay.sources) {
      const known = found.get(source.address);
      const authenticatedAs = known?.authenticatedAs ?? source.authenticatedAs;
      const firstSeen = known?.firstSeen ?? day.day;
      found.set(source.address, {
        ...source,
        ...addMessages(known ?? noMessages, source),
        authenticatedAs,
        firstSeen,
      });
    }
  }
  const sources = [...found.values()].sort(byMessages);
  return { sources, others, all: sources.reduce<MessageCounts>(addMessages, others) };
}

function sourcesOfDay(domain: string, { day, summaries }: DaySummary): Omit<Sources, 'all'> {
  const found = new Map<string, SourceInWindow>();
  let others = noMessages;
  for (const record of summaries.flatMap(({ records }) => records)) {
    const counts = messagesWith(record, record.count);
    const address = record.sourceIp;
    if (address === null) {
      others = addMessages(others, counts);
      continue;
    }
    const known = found.get(address);
    const authenticatedAs = known?.authenticatedAs ?? foreignDomain(record, domain);
    const sum = addMessages(known ?? noMessages, counts);
    found.set(address, { address, ...sum, authenticatedAs, firstSeen: day, lastSeen: day });
  }
  const sources = [...found.values()].sort(byMessages);
  const unlisted = sources.splice(SOURCES_PER_DAY);
  return { sources, others: unlisted.reduce<MessageCounts>(addMessages, others) };
}

const byMessages = (a: SourceInWindow, b: SourceInWindow): number =>
  b.messages - a.messages || (a.address < b.address ? -1 : 1);

/**
 * The domain that authenticated messages, if it is neither the monitored domain, nor below it, nor above it. It identifies
 * the operator of a source better than its address does.
 */
function foreignDomain(
  { dkimDomains, mailFrom, spfResult }: RecordSummary,
  monitored: string,
): string | null {
  const passed = spfResult === 'pass' && mailFrom !== null ? [...dkimDomains, mailFrom] : dkimDomains;
  const isForeign = (name: string) =>
    name.length <= MAX_NAME && !isWithin(name, monitored) && !isWithin(monitored, name);
  return passed.find(isForeign) ?? null;
}
