/**
 * DKIM selectors that the domain's mail uses. They cannot be listed through DNS, so they are learned from DMARC reports
 * and mail tests. Selectors from reports are stored in the domain's partition. Selectors from mail tests are stored
 * under the domain name, registered or not, and expire: an anonymous sender never writes to a customer's partition.
 */
import * as z from 'zod/mini';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { unchangedSince } from '../items.ts';
import { type Key, seenSelectorsKey, testedSelectorsKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';

/** `lastSeen` is a day, such as `2026-01-31`. */
const seen = z.object({ selector: z.string(), lastSeen: z.string() });

type Seen = Readonly<z.infer<typeof seen>>;

const selectorsItem = z.object({ seen: z.array(seen), revision: z.number() });

export type SeenSelectorStore = ReturnType<typeof seenSelectorStore>;

/** Anyone can send reports and tests that name selectors, so only the most recent ones are kept. */
const MAX_SELECTORS = 20;

/** How often a conflicting update is retried. A selector that is missed is learned from the next message. */
const ATTEMPTS = 10;

/** How long a selector from a mail test is kept after its last use. */
const TESTED_DAYS = 90;
const DAY_MILLISECONDS = 86_400_000;

export function seenSelectorStore(table: Table) {
  return {
    /** The selectors from reports, most recent first. */
    async list(domainId: string): Promise<string[]> {
      return (await read(seenSelectorsKey(domainId))).seen.map(({ selector }) => selector);
    },

    /** The selectors from mail tests of the last 90 days, most recent first. */
    async listTested(domain: string, now: Date): Promise<string[]> {
      const { seen } = await read(testedSelectorsKey(domain));
      return seen.filter(isRecent(now)).map(({ selector }) => selector);
    },

    /** Remembers the selectors in a report of `day` (`2026-01-31`). Writes nothing if nothing is new. */
    async remember(domain: DomainReference, selectors: ReadonlySet<string>, day: string): Promise<void> {
      const item = { ...seenSelectorsKey(domain.id) };
      await update(item, selectors, { day, isKept: () => true, guards: [isRegistered(domain)] });
    },

    /**
     * Remembers selectors whose signatures verified with a key published under `domain` (canonical form). Other
     * selectors do not count, because anyone can name a selector. Writes nothing if nothing is new.
     */
    async rememberTested(domain: string, selectors: ReadonlySet<string>, now: Date): Promise<void> {
      const expiresAt = Math.ceil((now.getTime() + TESTED_DAYS * DAY_MILLISECONDS) / 1000);
      const item = { ...testedSelectorsKey(domain), expiresAt };
      await update(item, selectors, { day: dayOf(now), isKept: isRecent(now), guards: [] });
    },
  };

  async function read(key: Key): Promise<{ seen: readonly Seen[]; revision: number }> {
    return (await table.get(key, selectorsItem)) ?? { seen: [], revision: 0 };
  }

  /** Writes `item` with its selectors and those of `day`, if the conditions of `guards` hold. */
  async function update(
    item: Key & { readonly expiresAt?: number },
    selectors: ReadonlySet<string>,
    { day, isKept, guards }: { day: string; isKept: (seen: Seen) => boolean; guards: readonly Write[] },
  ): Promise<void> {
    const { pk, sk } = item;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { seen, revision } = await read({ pk, sk });
      const days = new Map(seen.filter(isKept).map(({ selector, lastSeen }) => [selector, lastSeen]));
      const news = [...selectors].filter((selector) => day > (days.get(selector) ?? ''));
      for (const selector of news) days.set(selector, day);
      const next = [...days]
        .map(([selector, lastSeen]) => ({ selector, lastSeen }))
        .toSorted(byDay)
        .slice(0, MAX_SELECTORS);
      if (!next.some(({ selector, lastSeen }) => lastSeen === day && news.includes(selector))) return;
      const Item = { ...item, seen: next, revision: revision + 1 };
      const failed = await table.tryTransact([{ Put: { Item, ...unchangedSince(revision) } }, ...guards]);
      const hasChanged = failed.has(0) && failed.size === 1;
      if (!hasChanged) return;
    }
  }
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
