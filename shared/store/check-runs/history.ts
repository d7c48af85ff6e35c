/** Change history: one entry for each check run that differs from the run before it. */

import * as z from 'zod/mini';
import { shownChange } from '../../alerts/shown-change.ts';
import { checkNames } from '../../checks/state.ts';
import { described, list, timestamp } from '../../protocol/schema.ts';
import { dayAt } from '../../protocol/time.ts';
import { daysBefore } from '../../reports/day.ts';
import { grade, points } from '../../score/grade.ts';
import { type ItemSchema, listOfKnown } from '../item-schema.ts';
import {
  checksEntryKey,
  checksHistoryOf,
  type Key,
  type Range,
  scoreEntryKey,
  scoreHistoryOf,
} from '../keys.ts';
import { between, type Page } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, Write } from '../table.ts';
import { type ListedIn, listedAttributes } from './organization-changes.ts';

const at = described(timestamp, 'Time of the check run that detected the change');

export const scoreEntry = z.object({
  at,
  score: described(z.nullable(points), 'The score from then on; `null` if no check could be scored', 85),
  grade: described(z.nullable(grade), 'The grade from then on; `null` if no check could be scored', 'B'),
});

export type ScoreEntry = z.infer<typeof scoreEntry>;

export const checksEntry = z.object({
  at,
  changes: described(
    list(shownChange),
    'The changes since the previous check run, by check; in the first entry, the initial results',
  ),
});

export type ChecksEntry = z.infer<typeof checksEntry>;

/** Another release can know other checks, whose changes are left out. */
const storedEntry = z.object({ at: timestamp, changes: listOfKnown({ check: checkNames }, shownChange) });

export type HistoryStore = ReturnType<typeof historyStore>;

export function historyStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /** The writes of new entries, for the transaction that stores the check run. */
    writesOf(
      domainId: string,
      {
        score,
        checks,
        listed,
      }: {
        score?: ScoreEntry | undefined;
        checks?: ChecksEntry | undefined;
        /** With that, the changes are in the list of the organization, too. */
        listed?: ListedIn | undefined;
      },
    ): Write[] {
      const attributes = (at: string) => (listed === undefined ? {} : listedAttributes({ ...listed, at }));
      return [
        ...(score === undefined ? [] : [put(scoreEntryKey(domainId, score.at), score)]),
        ...(checks === undefined
          ? []
          : [put(checksEntryKey(domainId, checks.at), { ...checks, ...attributes(checks.at) })]),
      ];
    },

    /** One page of a domain's scores, newest first. */
    async scores(domainId: string, page: Page, now: Date): Promise<Found<ScoreEntry>> {
      return find(scoreHistoryOf(domainId), scoreEntry, page, now);
    },

    /** The first day whose entries have not expired; null if entries are kept forever. */
    keptFrom: (now: Date): string | null =>
      retentionDays === 0 ? null : daysBefore(dayAt(now), retentionDays),

    /** One page of a domain's changes, newest first. @param until Of those up to this time (ISO 8601), inclusive. */
    async checks(domainId: string, page: Page, now: Date, until?: string): Promise<Found<ChecksEntry>> {
      return find(checksHistoryOf(domainId), storedEntry, page, now, until);
    },
  };

  function put(key: Key, entry: ScoreEntry | ChecksEntry): Write {
    const expiresAt = expiryOf(entry.at.slice(0, 10), retentionDays);
    const Item = { ...key, expiresAt, ...entry };
    return { Put: { Item } };
  }

  async function find<Entry>(
    { pk, prefix }: Range,
    schema: ItemSchema<Entry>,
    page: Page,
    now: Date,
    until = '~',
  ): Promise<Found<Entry>> {
    const rows = between(pk, prefix, `${prefix}${until}`);
    const query = { ...rows, ScanIndexForward: false, ConsistentRead: true };
    const { items, hasMore } = await table.page(query, schema, { ...page, aliveAt: now });
    return { entries: items, hasMore };
  }
}

interface Found<Entry> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}
