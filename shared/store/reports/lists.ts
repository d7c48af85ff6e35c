/** Lists of stored reports: a page of a window with the sums of the whole window. */
import type { ItemSchema } from '../item-schema.ts';
import { domainPartition, type ReportKind } from '../keys.ts';
import { between } from '../query.ts';
import type { Table } from '../table.ts';
import { addTallies, keyBounds, noReports, reportDays, type Tally, type Window } from './days.ts';
import type { ReportItem } from './stored-report.ts';

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
          : await table.query(
              {
                ...between(domainPartition(domainId), keyBounds(kind, window).low, start.high),
                ScanIndexForward: false,
              },
              schema,
              { most: start.skip + limit + 1, aliveAt: now },
            );
      const onPage = items.slice(start?.skip ?? 0);
      return { reports: onPage.slice(0, limit), hasMore: onPage.length > limit, summary };
    },
  };
}
