/** How many messages reports saw that were signed with a selector. */

import { canonicalName } from '../protocol/domain-name.ts';
import { isLargeReceiver } from '../reports/large-receivers.ts';
import type { Domain } from '../store/domains/domains.ts';
import { type RowsOfReports, rowsOfDay } from '../store/reports/rows-of-day.ts';

/** Reading reports takes time, so it ends after those of the latest days. */
const READ_DAYS = 3;

/**
 * The messages that large receivers saw on the last day of each selector, signed with it by the domain itself: at least these,
 * because only the newest reports of a day are read. Nothing for selectors of earlier days than the three latest.
 */
export async function signedMessages(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  uses: readonly { readonly selector: string; readonly day: string }[],
  dmarcReports: RowsOfReports,
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const days = [...new Set(uses.map(({ day }) => day))].toSorted().reverse().slice(0, READ_DAYS);
  const counts = new Map<string, number>();
  for (const day of days) {
    const wanted = new Set(uses.flatMap((use) => (use.day === day ? [use.selector] : [])));
    for await (const { listed, rows } of rowsOfDay(id, day, dmarcReports, now)) {
      if (!isLargeReceiver(listed.authenticatedDomain ?? null)) continue;
      for (const { count, dkimResults } of rows) {
        const passed = dkimResults.filter((one) => one.result === 'pass' && one.domain === domain);
        for (const selector of new Set(passed.map((one) => canonicalName(one.selector ?? ''))))
          if (wanted.has(selector)) counts.set(selector, (counts.get(selector) ?? 0) + count);
      }
    }
  }
  return counts;
}
