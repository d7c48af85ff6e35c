/**
 * The item of a stored report and the rows beside it. One transaction cannot change both, so the item is marked
 * `unsettled` while its rows are not in their final state (see `chunks.ts`). Whoever finds it marked finishes the work.
 */
import type { Key, ReportKind } from '../keys.ts';
import type { Table } from '../table.ts';
import { type ChunkedRows, reportChunks } from './chunks.ts';
import { unpackRows } from './rows.ts';

/** The attributes of a report's item; times in ISO form. */
export type ReportItem = Readonly<Record<string, unknown>>;

export function storedReports(table: Table, kind: ReportKind, domainId: string) {
  const chunks = reportChunks(table);
  const chunked = ({ id, rowContent }: ReportItem): ChunkedRows => ({
    kind,
    domainId,
    id: String(id),
    rowsHash: String(rowContent),
  });
  const countOf = ({ rowChunks }: ReportItem): number => Number(rowChunks);

  return {
    read: (key: Key): Promise<ReportItem | undefined> => table.get(key),

    /** A report's rows in order; iterate once. */
    async rowsOf<Row>(item: ReportItem): Promise<Iterable<Row>> {
      const packed = [item.inline as Uint8Array];
      return unpackRows(countOf(item) === 0 ? packed : await chunks.read(chunked(item), countOf(item)));
    },

    /** Gives the rows of a committed report the same expiry as the report. */
    async settle(key: Key, item: ReportItem): Promise<void> {
      if (item.unsettled !== true) return;
      await chunks.settle(chunked(item), countOf(item), item.expiresAt as number | undefined);
      await mark(key, item, 'REMOVE unsettled');
    },

    /** Makes the rows expire before their report is removed or gets other rows. */
    async unsettle(key: Key, item: ReportItem, now: Date): Promise<void> {
      if (countOf(item) === 0) return;
      await mark(key, item, 'SET unsettled = :true');
      await chunks.unsettle(chunked(item), countOf(item), now);
    },

    /** Removes rows that no report refers to. */
    removeRows: (item: ReportItem): Promise<void> => chunks.remove(chunked(item), countOf(item)),
  };

  async function mark(key: Key, { rowContent }: ReportItem, UpdateExpression: string): Promise<void> {
    const values = { ':rows': rowContent, ...(UpdateExpression.includes(':true') && { ':true': true }) };
    await table.update(key, {
      UpdateExpression,
      ConditionExpression: 'rowContent = :rows',
      ExpressionAttributeValues: values,
    });
  }
}
