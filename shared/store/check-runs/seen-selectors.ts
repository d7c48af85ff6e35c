/**
 * DKIM selectors that the domain's mail uses. They cannot be listed through DNS, so they are learned from DMARC reports
 * and mail tests. Selectors from reports are stored in the domain's partition. Selectors from mail tests are stored
 * under the domain name, registered or not, and expire: an anonymous sender never writes to a customer's partition.
 */
import * as z from 'zod/mini';
import { DAY_MILLISECONDS } from '../../protocol/time.ts';
import { daysBefore } from '../../reports/day.ts';
import type { DomainReference } from '../domains/domain.ts';
import { unchangedSince } from '../items.ts';
import { type Key, seenSelectorsKey, testedSelectorsKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import { combine, type TransactionPart } from '../transaction-part.ts';

/** `lastSeen` is a day, such as `2026-01-31`; `lastProven` is the last day of a report of a large receiver that names it. */
const seen = z.object({ selector: z.string(), lastSeen: z.string(), lastProven: z.optional(z.string()) });

type Seen = Readonly<z.infer<typeof seen>>;

const selectorsItem = z.object({ seen: z.array(seen), revision: z.number() });

type SeenSelectors = Readonly<z.infer<typeof selectorsItem>>;

const none: SeenSelectors = { seen: [], revision: 0 };

export type SeenSelectorStore = ReturnType<typeof seenSelectorStore>;

/** Anyone can send reports and tests that name selectors, so only the most recent ones are kept. */
const MAX_SELECTORS = 20;

/** Selectors that large receivers saw within this many days of the latest such selector stay. */
const PROVEN_DAYS = 30;

/** How often a conflicting update is retried. A selector that is missed is learned from the next message. */
const ATTEMPTS = 10;

/** How long a selector from a mail test is kept after its last use. */
const TESTED_DAYS = 90;

export function seenSelectorStore(table: Table) {
  return {
    /** The selectors from reports, most recent first. */
    async list(domainId: string): Promise<string[]> {
      return (await read(seenSelectorsKey(domainId))).seen.map(({ selector }) => selector);
    },

    /** The selectors that mail of `from` or a later day was signed with, by reports that nobody can forge. */
    async provenSince(domainId: string, from: string): Promise<string[]> {
      const { seen } = await read(seenSelectorsKey(domainId));
      return seen.flatMap(({ selector, lastProven = '' }) => (lastProven >= from ? [selector] : []));
    },

    /** The selectors from mail tests of the last 90 days, most recent first. */
    async listTested(domain: string, now: Date): Promise<string[]> {
      const { seen } = await read(testedSelectorsKey(domain));
      return seen.filter(isRecent(now)).map(({ selector }) => selector);
    },

    /**
     * Remembers the selectors in a report of `day` (`2026-01-31`) in the transaction that stores the report. Writes
     * nothing if nothing is new. `isProven`: the report comes from a large receiver.
     */
    alongsideReport(
      domain: DomainReference,
      selectors: ReadonlySet<string>,
      { day, isProven }: { readonly day: string; readonly isProven: boolean },
    ): TransactionPart {
      if (selectors.size === 0) return combine([]);
      const item = seenSelectorsKey(domain.id);
      const before = { key: item, schema: selectorsItem };
      return {
        reads: [before],
        writes(found) {
          const write = remembering(item, found.of(before) ?? none, selectors, {
            ...{ day, isProven, isKept: () => true },
          });
          return write === undefined ? [] : [write];
        },
      };
    },

    /**
     * Remembers selectors whose signatures verified with a key published under `domain` (canonical form). Other
     * selectors do not count, because anyone can name a selector. Writes nothing if nothing is new.
     */
    async rememberTested(domain: string, selectors: ReadonlySet<string>, now: Date): Promise<void> {
      const expiresAt = Math.ceil((now.getTime() + TESTED_DAYS * DAY_MILLISECONDS) / 1000);
      const item = { ...testedSelectorsKey(domain), expiresAt };
      const how = { day: dayOf(now), isProven: false, isKept: isRecent(now) };
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const write = remembering(item, await read(item), selectors, how);
        if (write === undefined || (await table.put(write.Put.Item, write.Put))) return;
      }
    },
  };

  async function read({ pk, sk }: Key): Promise<SeenSelectors> {
    return (await table.get({ pk, sk }, selectorsItem)) ?? none;
  }
}

/** The write of `item` with its selectors and those of `day`, if nothing changed since; undefined if nothing is new. */
function remembering(
  item: Key & { readonly expiresAt?: number },
  { seen, revision }: SeenSelectors,
  selectors: ReadonlySet<string>,
  {
    day,
    isProven,
    isKept,
  }: { readonly day: string; readonly isProven: boolean; readonly isKept: (seen: Seen) => boolean },
): Extract<Write, { Put: unknown }> | undefined {
  const known = new Map(seen.filter(isKept).map((one) => [one.selector, one]));
  const news = [...selectors].filter((selector) => {
    const { lastSeen = '', lastProven = '' } = known.get(selector) ?? {};
    return day > (isProven ? lastProven : lastSeen);
  });
  for (const selector of news) {
    const { lastSeen = '', ...before } = known.get(selector) ?? {};
    const proven = isProven ? { lastProven: day } : {};
    known.set(selector, { ...before, selector, lastSeen: day > lastSeen ? day : lastSeen, ...proven });
  }
  const next = mostUseful([...known.values()]);
  if (!next.some(({ selector }) => news.includes(selector))) return undefined;
  return { Put: { Item: { ...item, seen: next, revision: revision + 1 }, ...unchangedSince(revision) } };
}

/** The most recent selectors, before which those stay that large receivers saw lately: nobody can crowd these out. */
function mostUseful(all: readonly Seen[]): readonly Seen[] {
  const proven = all.flatMap(({ lastProven }) => lastProven ?? []).toSorted();
  const from = daysBefore(proven.at(-1) ?? dayOf(new Date(0)), PROVEN_DAYS);
  const isProven = ({ lastProven = '' }: Seen) => Number(lastProven >= from);
  const inOrder = all.toSorted((a, b) => isProven(b) - isProven(a) || byDay(a, b));
  return inOrder.slice(0, MAX_SELECTORS).toSorted(byDay);
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

function isRecent(now: Date): (seen: Seen) => boolean {
  const oldest = dayOf(new Date(now.getTime() - TESTED_DAYS * DAY_MILLISECONDS));
  return ({ lastSeen }) => lastSeen >= oldest;
}

/** Most recent day first, then by name, for a stable order. */
function byDay(a: Seen, b: Seen): number {
  if (a.lastSeen !== b.lastSeen) return a.lastSeen > b.lastSeen ? -1 : 1;
  return a.selector < b.selector ? -1 : 1;
}
