/**
 * The list of attention items: what needs a person now. An item is written when its condition begins, and deleted when it
 * ends (`attention-changes.ts`). It is in the partition of its domain, or of the organization if it is about a channel, and
 * in the list of the organization, in the order in which items are shown, so that a page costs only the items up to its end.
 */

import type { AlertSeverity } from '../alerts/alert.ts';
import type { AttentionKind } from '../alerts/attention-kind.ts';
import {
  type AttentionItem,
  attentionItem,
  isKnown,
  isPutOff,
  orderOf,
  rankOf,
  type StoredItem,
  worstFirst,
} from './attention-items.ts';
import { allOf, changing, having } from './changes.ts';
import { PRESENT } from './items.ts';
import { attentionIndexKey, attentionOf, type Key } from './keys.ts';
import { ofIndex, type Page, type Query, startingWith } from './query.ts';
import type { Table } from './table.ts';

export interface AttentionFilter {
  readonly domainId?: string | undefined;
  readonly kind?: AttentionKind | undefined;
  readonly severity?: AlertSeverity | undefined;
  /** Only items of these domains. */
  readonly domainIds?: ReadonlySet<string> | undefined;
  /** Only items that are put off, or only those that are not. */
  readonly putOff?: boolean | undefined;
}

/** Bounds what counting reads: an item has about 0.4 KB. */
export const MOST_COUNTED_ITEMS = 100;

/** What `firstOfEach` reads in a request: most organizations have fewer items. */
const READ_TOGETHER = 40;

export interface AttentionHeads {
  readonly items: readonly AttentionItem[];
  /** Kinds with further items, of at least one severity. */
  readonly more: ReadonlySet<AttentionKind>;
}

/** How many of the first items of a severity are not put off, and whether there are items beyond those. */
export interface ItemCount {
  readonly count: number;
  readonly hasMore: boolean;
}

export type AttentionStore = ReturnType<typeof attentionStore>;

export function attentionStore(table: Table) {
  return {
    /** The open items that match a filter, worst first. Unless items are left out, reads nothing beyond the page. */
    async list(
      organization: string,
      filter: AttentionFilter,
      { page, limit }: Page,
      now: Date,
    ): Promise<{ items: readonly AttentionItem[]; hasMore: boolean }> {
      const end = page * limit;
      const found: AttentionItem[] = [];
      for await (const item of inOrder(organization, filter, doublingFrom(end + 1))) {
        if (isWanted(item, filter, now)) found.push(item);
        if (found.length > end) break;
      }
      return { items: found.slice(end - limit, end), hasMore: found.length > end };
    },

    /**
     * The first items of each kind and severity that are not put off, worst first, and the kinds of which there are more.
     * Reads nothing of those, so it costs a request for each kind and severity at most, however many items are open.
     */
    async firstOfEach(organization: string, most: number, now: Date): Promise<AttentionHeads> {
      const items: AttentionItem[] = [];
      const more = new Set<AttentionKind>();
      let after = '';
      let run = { start: '', shown: 0, read: 0 };
      for (;;) {
        const query = ofOrganization(organization, { after });
        const read = await table.query(query, attentionItem, { most: READ_TOGETHER });
        for (const item of read) {
          const start = `${rankOf(item.severity)}#${item.kind}#`;
          if (start !== run.start) run = { start, shown: 0, read: 0 };
          run.read += 1;
          const isShown = isWanted(item, { putOff: false }, now);
          if (isShown && run.shown < most) items.push(item);
          if (isShown) run.shown += 1;
          if (isKnown(item) && (run.shown > most || run.read > MOST_COUNTED_ITEMS)) more.add(item.kind);
        }
        const last = read.at(-1);
        if (last === undefined || read.length < READ_TOGETHER) return { items, more };
        const isEnough = run.shown > most || run.read > MOST_COUNTED_ITEMS;
        after = isEnough ? `${run.start}~` : orderOf(last);
      }
    },

    /** The open items by severity. Reads at most `MOST_COUNTED_ITEMS` of each, and one more. */
    async count(organization: string, now: Date): Promise<Readonly<Record<AlertSeverity, ItemCount>>> {
      const counted = async (severity: AlertSeverity): Promise<ItemCount> => {
        const query = ofOrganization(organization, { prefix: `${rankOf(severity)}#` });
        const { items, hasMore } = await table.page(query, attentionItem, {
          page: 1,
          limit: MOST_COUNTED_ITEMS,
        });
        return { count: items.filter((item) => isWanted(item, { putOff: false }, now)).length, hasMore };
      };
      const [critical, warning, info] = await Promise.all([
        counted('critical'),
        counted('warning'),
        counted('info'),
      ]);
      return { critical, warning, info };
    },

    /** The open item with this key. */
    async get(key: Key): Promise<AttentionItem | undefined> {
      const item = await table.get(key, attentionItem);
      return item !== undefined && isKnown(item) ? item : undefined;
    },

    /**
     * Puts an item off until a day, or takes that back. Returns the item; undefined if it was closed or changed since it
     * was read.
     */
    async putOff(
      key: Key,
      before: AttentionItem,
      { until, note }: { readonly until: string | null; readonly note: string | null },
      now: Date,
    ): Promise<AttentionItem | undefined> {
      const changedAt = now.toISOString();
      const isSame = allOf(PRESENT, having({ changedAt: before.changedAt ?? undefined }));
      const isWritten = await table.update(key, changing({ putOffUntil: until, note, changedAt }, isSame));
      return isWritten ? { ...before, putOffUntil: until, note, changedAt } : undefined;
    },
  };

  /** Everything in the ranges of a filter, in order. */
  async function* inOrder(
    organization: string,
    { domainId, kind, severity }: AttentionFilter,
    together: () => number,
  ): AsyncGenerator<StoredItem> {
    if (domainId !== undefined) {
      const query = { ...startingWith(attentionOf(domainId)), ConsistentRead: true };
      const items = await table.query(query, attentionItem);
      yield* items.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      return;
    }
    for (const prefix of prefixesOf(kind, severity))
      yield* table.each(ofOrganization(organization, { prefix }), attentionItem, { together });
  }
}

/** How many items each request reads: the first one only what is shown, further ones more, because many are left out. */
function doublingFrom(first: number): () => number {
  let next = first / 2;
  return () => {
    next *= 2;
    return next;
  };
}

/** The begins of the orders of all items of a kind and severity. */
function prefixesOf(kind: AttentionKind | undefined, severity: AlertSeverity | undefined): string[] {
  if (kind === undefined && severity === undefined) return [''];
  const wanted = severity === undefined ? worstFirst : [severity];
  return wanted.map((one) => `${rankOf(one)}#${kind === undefined ? '' : `${kind}#`}`);
}

/** Everything after a position, whose order begins with `prefix`. Orders have no characters before a space or after `~`. */
const ofOrganization = (
  organization: string,
  { prefix = '', after = prefix }: { readonly prefix?: string; readonly after?: string },
): Query => ofIndex(attentionIndexKey(organization, ''), { low: `${after} `, high: `${prefix}~` });

function isWanted(
  item: StoredItem,
  { kind, severity, domainIds, putOff }: AttentionFilter,
  now: Date,
): item is AttentionItem {
  return (
    isKnown(item) &&
    (kind === undefined || item.kind === kind) &&
    (severity === undefined || item.severity === severity) &&
    (domainIds === undefined || (item.domainId !== null && domainIds.has(item.domainId))) &&
    (putOff === undefined || isPutOff(item, now) === putOff)
  );
}
