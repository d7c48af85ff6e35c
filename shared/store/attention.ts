/**
 * Attention items: what needs a person now. An item is written when its condition begins, and deleted when it ends, in the
 * transaction that stores the condition; or, if each run finds the condition again, after it (`follow`). It is in the partition of its domain, and in the list of the organization, in
 * the order in which items are shown, so that a page costs only the items up to its end.
 */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type AlertSeverity, alertSeverity } from '../alerts/alert.ts';
import { severities } from '../alerts/notification.ts';
import { type AttentionKind, isKnownKind, kinds } from '../attention/kinds.ts';
import type { DomainReference } from './domains/domain.ts';
import { isRegistered } from './domains/writes.ts';
import { orNull } from './item-schema.ts';
import { ABSENT, PRESENT } from './items.ts';
import { attentionIndexKey, attentionKey, attentionOf } from './keys.ts';
import { type Page, type Query, startingWith } from './query.ts';
import type { Table, Write } from './table.ts';

const attentionItem = z.object({
  domainId: z.string(),
  domain: z.string(),
  /** Of any release. */
  kind: z.string(),
  /** As it was when the item opened: part of the order. */
  severity: alertSeverity,
  /** When the condition began; ISO 8601. */
  since: z.string(),
  /** The day (UTC) from which a person wants to see the item again. */
  putOffUntil: orNull(z.string()),
  /** What that person noted. */
  note: orNull(z.string()),
  /** What its text depends on besides; the kind decides which. */
  facts: z.optional(z.record(z.string(), z.unknown())),
  /** When day and note were changed last; null: never. */
  changedAt: orNull(z.string()),
});

type StoredItem = Readonly<z.infer<typeof attentionItem>>;

/** An item of a kind that this release knows. */
export type AttentionItem = StoredItem & { readonly kind: AttentionKind };

export type AttentionFacts = NonNullable<StoredItem['facts']>;

/** The condition of an item, while it holds. */
export interface AttentionCondition {
  /** When it began; ISO 8601. */
  readonly since: string;
  readonly facts: AttentionFacts;
}

export interface AttentionFilter {
  readonly domainId?: string | undefined;
  readonly kind?: AttentionKind | undefined;
  readonly severity?: AlertSeverity | undefined;
  /** Only items of these domains. */
  readonly domainIds?: ReadonlySet<string> | undefined;
  /** Only items that are put off, or only those that are not. */
  readonly putOff?: boolean | undefined;
}

const worstFirst = severities.toReversed();

const rankOf = (severity: AlertSeverity): number => worstFirst.indexOf(severity);

/** Worst first, then by kind, and the oldest of a kind first. */
const orderOf = ({
  severity,
  kind,
  since,
  domainId,
}: Pick<StoredItem, 'severity' | 'kind' | 'since' | 'domainId'>): string =>
  `${rankOf(severity)}#${kind}#${since}#${domainId}`;

/** Whether an item is put off at `now`. */
export const isPutOff = <Item extends Pick<AttentionItem, 'putOffUntil'>>(
  item: Item,
  now: Date,
): item is Item & { readonly putOffUntil: string } =>
  item.putOffUntil !== null && item.putOffUntil > now.toISOString().slice(0, 10);

/**
 * The write that opens an item. Its transaction must succeed only once while the condition lasts: an item that is open
 * is replaced, with what a person noted.
 */
export function attentionOpening(
  { id, organization, domain }: DomainReference,
  kind: AttentionKind,
  since: string,
  facts?: AttentionFacts,
): Extract<Write, { Put: unknown }> {
  const { severity } = kinds[kind];
  const item = { domainId: id, domain, kind, severity, since, ...(facts && { facts }) };
  const place = attentionIndexKey(organization, orderOf(item));
  return { Put: { Item: { ...attentionKey(id, kind), ...place, ...item } } };
}

/** The write that closes an item, if it is open. */
export const attentionClosing = (domainId: string, kind: AttentionKind): Write => ({
  Delete: { Key: attentionKey(domainId, kind) },
});

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

    /** All open items of a domain, for `follow`, which needs no newer ones. */
    async ofDomain(domainId: string): Promise<readonly AttentionItem[]> {
      const items = await table.query(startingWith(attentionOf(domainId)), attentionItem);
      return items.filter((item): item is AttentionItem => isKnownKind(item.kind));
    },

    /**
     * Makes an item follow a condition that is found again by each run: opens it, stores the facts that changed, or closes
     * it. Safe to repeat and to run concurrently; what a person noted stays. Does nothing if the domain is gone.
     * @param before The open item, as it was read.
     * @param condition Null if it does not hold.
     */
    async follow(
      domain: DomainReference,
      kind: AttentionKind,
      before: AttentionItem | undefined,
      condition: AttentionCondition | null,
    ): Promise<void> {
      if (condition === null) {
        if (before !== undefined) await table.transact([attentionClosing(domain.id, kind)]);
        return;
      }
      const { since, facts } = condition;
      if (before === undefined) {
        const { Put } = attentionOpening(domain, kind, since, facts);
        await table.tryTransact([isRegistered(domain), { Put: { ...Put, ...ABSENT } }]);
      } else if (!isDeepStrictEqual(before.facts, facts)) {
        await table.update(attentionKey(domain.id, kind), {
          UpdateExpression: 'SET facts = :facts',
          ...PRESENT,
          ExpressionAttributeValues: { ':facts': facts },
        });
      }
    },

    /** The open item of a kind. */
    async get(domainId: string, kind: AttentionKind): Promise<AttentionItem | undefined> {
      const item = await table.get(attentionKey(domainId, kind), attentionItem);
      return item && { ...item, kind };
    },

    /**
     * Puts an item off until a day, or takes that back. Returns the item; undefined if it was closed or changed since it
     * was read.
     */
    async putOff(
      before: AttentionItem,
      { until, note }: { readonly until: string | null; readonly note: string | null },
      now: Date,
    ): Promise<AttentionItem | undefined> {
      const changedAt = now.toISOString();
      const isSame = before.changedAt === null ? 'attribute_not_exists(changedAt)' : 'changedAt = :before';
      const isWritten = await table.update(attentionKey(before.domainId, before.kind), {
        UpdateExpression: 'SET putOffUntil = :until, note = :note, changedAt = :at',
        ConditionExpression: `attribute_exists(pk) AND ${isSame}`,
        ExpressionAttributeValues: {
          ...{ ':until': until, ':note': note, ':at': changedAt },
          ...(before.changedAt !== null && { ':before': before.changedAt }),
        },
      });
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
      yield* table.each(ofOrganization(organization, prefix), attentionItem, { together });
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

function ofOrganization(organization: string, prefix: string): Query {
  const { gsi1pk } = attentionIndexKey(organization, prefix);
  return {
    IndexName: 'gsi1',
    KeyConditionExpression: `gsi1pk = :pk${prefix === '' ? '' : ' AND begins_with(gsi1sk, :prefix)'}`,
    ExpressionAttributeValues: { ':pk': gsi1pk, ...(prefix !== '' && { ':prefix': prefix }) },
  };
}

function isWanted(
  item: StoredItem,
  { kind, severity, domainIds, putOff }: AttentionFilter,
  now: Date,
): item is AttentionItem {
  return (
    isKnownKind(item.kind) &&
    (kind === undefined || item.kind === kind) &&
    (severity === undefined || item.severity === severity) &&
    (domainIds === undefined || domainIds.has(item.domainId)) &&
    (putOff === undefined || isPutOff(item, now) === putOff)
  );
}
