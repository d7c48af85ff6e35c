/** Change history: one entry for each check run that differs from the run before it. */
import type { ShownChange } from '../../alerts/changes.ts';
import type { Grade } from '../../score/score.ts';
import { checksHistoryOf, scoreHistoryOf } from '../keys.ts';
import type { Page } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, Write } from '../table.ts';

/** `at` is the time of the check run, in ISO form. */
export interface ScoreEntry {
  readonly at: string;
  readonly score: number | null;
  readonly grade: Grade | null;
}

export interface ChecksEntry {
  readonly at: string;
  readonly changes: readonly ShownChange[];
}

export type HistoryStore = ReturnType<typeof historyStore>;

export function historyStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /** The writes of new entries, for the transaction that stores the check run. */
    writesOf(
      domainId: string,
      { score, checks }: { score?: ScoreEntry | undefined; checks?: ChecksEntry | undefined },
    ): Write[] {
      return [
        ...(score === undefined ? [] : [put(scoreHistoryOf(domainId), score)]),
        ...(checks === undefined ? [] : [put(checksHistoryOf(domainId), checks)]),
      ];
    },

    /** One page of a domain's scores, newest first. */
    async scores(domainId: string, page: Page, now: Date): Promise<Found<ScoreEntry>> {
      return list(scoreHistoryOf(domainId), page, now);
    },

    /** One page of a domain's changes, newest first. */
    async checks(domainId: string, page: Page, now: Date): Promise<Found<ChecksEntry>> {
      return list(checksHistoryOf(domainId), page, now);
    },
  };

  function put({ pk, prefix }: Range, entry: ScoreEntry | ChecksEntry): Write {
    const expiresAt = expiryOf(entry.at.slice(0, 10), retentionDays);
    const Item = { pk, sk: `${prefix}${entry.at}`, expiresAt, ...entry };
    return { Put: { Item } };
  }

  async function list<Entry>({ pk, prefix }: Range, page: Page, now: Date): Promise<Found<Entry>> {
    const query = {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      ScanIndexForward: false,
      ConsistentRead: true,
    };
    const { items, hasMore } = await table.page(query, { ...page, aliveAt: now });
    return { entries: items.map((item) => decode<Entry>(item)), hasMore };
  }
}

interface Range {
  readonly pk: string;
  readonly prefix: string;
}

interface Found<Entry> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

function decode<Entry>(item: Record<string, unknown>): Entry {
  const { pk, sk, version, expiresAt, ...entry } = item;
  return entry as unknown as Entry;
}
