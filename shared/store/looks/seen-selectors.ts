/**
 * DKIM selectors that a domain's mail was seen to be signed with, since the DNS cannot list them. Those that reports
 * name lie in the partition of the domain. Those of mail tests lie under the name, whether or not anybody has
 * registered it, and end after a while: so that whoever sends a test writes to nobody's partition.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { DomainReference } from '../domains/domains.ts';
import { isRegistered } from '../domains/writes.ts';
import { type Key, seenSelectorsKey, testedSelectorsKey } from '../keys.ts';
import { ConditionsFailed, type Table, type TransactItems, transact, unchangedSince } from '../table.ts';

/** `lastSeen` is a day in the form `2026-01-31`. */
interface Seen {
  readonly selector: string;
  readonly lastSeen: string;
}

export type SeenSelectorStore = ReturnType<typeof seenSelectorStore>;

/** Anyone can send a report or a test that names selectors, so only so many are remembered: the last ones seen. */
const MAX_SELECTORS = 20;

/** How often an update is tried when others come in between; what is missed then, the next message names again. */
const ATTEMPTS = 10;

/** How long a selector of a test is known after its last one. */
const TESTED_DAYS = 90;
const DAY_MILLISECONDS = 86_400_000;

export function seenSelectorStore(table: Table) {
  return {
    /** The selectors that reports named, last seen first. */
    async list(domainId: string): Promise<string[]> {
      return (await read(seenSelectorsKey(domainId))).seen.map(({ selector }) => selector);
    },

    /** The selectors that mail tests of the last 90 days proved to be in use for a name, last seen first. */
    async listTested(domain: string, now: Date): Promise<string[]> {
      const { seen } = await read(testedSelectorsKey(domain));
      return seen.filter(isRecent(now)).map(({ selector }) => selector);
    },

    /** Remembers selectors that a report of a day (`2026-01-31`) named. Writes nothing where nothing is new. */
    async remember(domain: DomainReference, selectors: ReadonlySet<string>, day: string): Promise<void> {
      const item = { ...seenSelectorsKey(domain.id) };
      await update(item, selectors, { day, isKept: () => true, guards: [isRegistered(table, domain)] });
    },

    /**
     * Remembers selectors for which a message verified by a key in the DNS of `domain` (canonical form): nothing less
     * counts, for anybody can send a message that names any. Writes nothing where nothing is new.
     */
    async rememberTested(domain: string, selectors: ReadonlySet<string>, now: Date): Promise<void> {
      const expiresAt = Math.ceil((now.getTime() + TESTED_DAYS * DAY_MILLISECONDS) / 1000);
      const item = { ...testedSelectorsKey(domain), expiresAt };
      await update(item, selectors, { day: dayOf(now), isKept: isRecent(now), guards: [] });
    },
  };

  async function read(Key: Key): Promise<{ seen: readonly Seen[]; revision: number }> {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
    );
    return { seen: Item?.seen ?? [], revision: Item?.revision ?? 0 };
  }

  /** Puts `item` with the selectors that it held and those of `day`, where the conditions of `guards` hold. */
  async function update(
    item: Key & { readonly expiresAt?: number },
    selectors: ReadonlySet<string>,
    { day, isKept, guards }: { day: string; isKept: (seen: Seen) => boolean; guards: TransactItems },
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
      try {
        await transact(table, [
          { Put: { TableName: table.name, Item, ...unchangedSince(revision) } },
          ...guards,
        ]);
        return;
      } catch (error) {
        if (!(error instanceof ConditionsFailed)) throw error;
        if (error.failed.size > (error.failed.has(0) ? 1 : 0)) return;
      }
    }
  }
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

function isRecent(now: Date): (seen: Seen) => boolean {
  const oldest = dayOf(new Date(now.getTime() - TESTED_DAYS * DAY_MILLISECONDS));
  return ({ lastSeen }) => lastSeen >= oldest;
}

/** Latest day first; then by name, so that the order is always the same. */
function byDay(a: Seen, b: Seen): number {
  if (a.lastSeen !== b.lastSeen) return a.lastSeen > b.lastSeen ? -1 : 1;
  return a.selector < b.selector ? -1 : 1;
}
