/** Lists of stored reports: a page of a window with the sums of the whole window, and the rows of listed reports. */
import { domainPartition, type ReportKind } from '../keys.ts';
import type { Table } from '../table.ts';
import { addTallies, keyBounds, noReports, reportDays, type Tally, type Window } from './days.ts';
import { type ReportItem, storedReports } from './stored-report.ts';

export interface ListedReport {
  readonly id: string;
  /** The number of rows, and their size as text in bytes. */
  readonly rows: number;
  readonly rowOctets: number;
  readonly item: ReportItem;
}

export interface ReportPage {
  readonly reports: readonly ListedReport[];
  readonly hasMore: boolean;
  /** Over the whole window. */
  readonly summary: Tally;
}

export function reportLists(table: Table, kind: ReportKind) {
  const days = reportDays(table, kind);
  return {
    days,

    /** A page of the reports whose period begins in `window`, newest first. */
    async page(
      domainId: string,
      { window, page, limit }: { window: Window; page: number; limit: number },
      now: Date,
    ): Promise<ReportPage> {
      const within = await days.within(domainId, window, now);
      const summary = within.reduce<Tally>((sum, day) => addTallies(sum, day), noReports);
      const start = await days.locate(domainId, within, { window, skip: (page - 1) * limit });
      const items =
        start === undefined
          ? []
          : await below(
              domainId,
              { low: keyBounds(kind, window).low, high: start.high, count: start.skip + limit + 1 },
              now,
            );
      const onPage = items.slice(start?.skip ?? 0);
      return { reports: onPage.slice(0, limit).map(listed), hasMore: onPage.length > limit, summary };
    },

    /** The rows of a listed report in order; iterate once. */
    rowsOf: <Row>(domainId: string, { item }: ListedReport): Promise<Iterable<Row>> =>
      storedReports(table, kind, domainId).rowsOf(item),
  };

  async function below(
    domainId: string,
    { low, high, count }: { low: string; high: string; count: number },
    now: Date,
  ): Promise<ReportItem[]> {
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
      ExpressionAttributeValues: { ':pk': domainPartition(domainId), ':low': low, ':high': high },
      ScanIndexForward: false,
    };
    return table.query(query, { most: count, aliveAt: now });
  }
}

const listed = (item: ReportItem): ListedReport => ({
  id: String(item.id),
  rows: Number(item.rows),
  rowOctets: Number(item.rowOctets),
  item,
});
