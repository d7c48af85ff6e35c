/** The DKIM selectors that reports say a domain's mail is signed with: the DNS cannot list them. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type DomainReference, isRegistered } from './domains.ts';
import { seenSelectorsKey } from './keys.ts';
import { ConditionsFailed, type Table, transact } from './table.ts';

/** `lastSeen` is a day in the form `2026-01-31`. */
interface Seen {
  readonly selector: string;
  readonly lastSeen: string;
}

export type SeenSelectorStore = ReturnType<typeof seenSelectorStore>;

/** Anyone can send a report that names selectors, so that only so many are remembered: the last ones seen. */
const MAX_SELECTORS = 20;

/** How often an update is tried when others come in between; what is missed then, the next report names again. */
const ATTEMPTS = 10;

export function seenSelectorStore(table: Table) {
  return {
    /** The selectors, last seen first. */
    async list(domainId: string): Promise<string[]> {
      return (await read(domainId)).seen.map(({ selector }) => selector);
    },

    /** Remembers selectors seen on a day (`2026-01-31`). Writes nothing where nothing is new. */
    async remember(domain: DomainReference, selectors: ReadonlySet<string>, day: string): Promise<void> {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const { seen, revision } = await read(domain.id);
        const days = new Map(seen.map(({ selector, lastSeen }) => [selector, lastSeen]));
        const news = [...selectors].filter((selector) => day > (days.get(selector) ?? ''));
        for (const selector of news) days.set(selector, day);
        const next = [...days]
          .map(([selector, lastSeen]) => ({ selector, lastSeen }))
          .toSorted(byDay)
          .slice(0, MAX_SELECTORS);
        if (!next.some(({ selector, lastSeen }) => lastSeen === day && news.includes(selector))) return;
        try {
          await transact(table, [
            isRegistered(table, domain),
            {
              Put: {
                TableName: table.name,
                Item: { ...seenSelectorsKey(domain.id), seen: next, revision: revision + 1 },
                ConditionExpression: revision === 0 ? 'attribute_not_exists(pk)' : 'revision = :revision',
                ...(revision === 0 ? {} : { ExpressionAttributeValues: { ':revision': revision } }),
              },
            },
          ]);
          return;
        } catch (error) {
          if (!(error instanceof ConditionsFailed)) throw error;
          if (error.failed.has(0)) return;
        }
      }
    },
  };

  async function read(domainId: string): Promise<{ seen: readonly Seen[]; revision: number }> {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: seenSelectorsKey(domainId), ConsistentRead: true }),
    );
    return { seen: Item?.seen ?? [], revision: Item?.revision ?? 0 };
  }
}

/** Latest day first; then by name, so that the order is always the same. */
function byDay(a: Seen, b: Seen): number {
  if (a.lastSeen !== b.lastSeen) return a.lastSeen > b.lastSeen ? -1 : 1;
  return a.selector < b.selector ? -1 : 1;
}
