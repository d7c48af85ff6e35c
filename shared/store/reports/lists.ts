/** Lists of stored reports: a page of a window with the sums of the whole window, and the rows of listed reports. */
import type { ItemSchema } from '../item-schema.ts';
import type { ReportKind } from '../keys.ts';
import type { Table } from '../table.ts';
import { addTallies, keyBounds, noReports, queryOf, reportDays, type Tally, type Window } from './days.ts';
import { type ReportItem, storedReports } from './stored-report.ts';

export interface ReportPage<Stored> {
  readonly reports: readonly Stored[];
  readonly hasMore: boolean;
  /** Over the whole window. */
  readonly summary: Tally;
}

export function reportLists<Stored extends ReportItem>(
  table: Table,
  kind: ReportKind,
  schema: ItemSchema<Stored>,
) {
  const days = reportDays(table, kind);
  return {
    days,

    /** A page of the reports whose period begins in `window`, newest first. */
    async page(
      domainId: string,
      { window, page, limit }: { window: Window; page: number; limit: number },
      now: Date,
    ): Promise<ReportPage<Stored>> {
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
      return { reports: onPage.slice(0, limit), hasMore: onPage.length > limit, summary };
    },

    /** The rows of a listed report in order; iterate once. */
    rowsOf: <Row>(domainId: string, item: ReportItem): Promise<Iterable<Row>> =>
      storedReports(table, kind, domainId).rowsOf(item),
  };

  async function below(
    domainId: string,
    { low, high, count }: { low: string; high: string; count: number },
    now: Date,
  ): Promise<Stored[]> {
    return table.query(queryOf(domainId, { low, high }), schema, { most: count, aliveAt: now });
  }
}
