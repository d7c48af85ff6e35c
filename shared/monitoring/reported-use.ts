/** What reports of large receivers say about the use of DKIM selectors. */

import type { ReportedUse, SelectorMessages } from '../checks/dkim/history.ts';
import { USE_DAYS } from '../protocol/findings/dkim-history.ts';
import { dayAt } from '../protocol/time.ts';
import { daysBefore } from '../reports/day.ts';
import { isLargeReceiver } from '../reports/large-receivers.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { SummaryStore } from '../store/reports/summaries.ts';

/**
 * The messages of the last 30 days that the domain itself signed with selectors. At least these: of each report, only selectors
 * with the most messages are kept.
 */
export async function reportedUse(
  domain: Pick<DomainReference, 'id' | 'domain'>,
  selectors: readonly string[],
  summaries: Pick<SummaryStore, 'eachDay'>,
  now: Date,
): Promise<ReportedUse> {
  const to = dayAt(now);
  const found = new Map<string, SelectorMessages>();
  const days: string[] = [];
  const window = { from: daysBefore(to, USE_DAYS), to };
  for await (const day of summaries.eachDay(domain.id, window, now, domain.domain)) {
    const proven = day.summaries.filter((one) => isLargeReceiver(one.authenticatedDomain));
    if (proven.length > 0) days.push(day.day);
    for (const { signed = {} } of proven)
      for (const selector of selectors) {
        const counts = Object.hasOwn(signed, selector) ? signed[selector] : undefined;
        if (counts === undefined) continue;
        const [passed, failed] = counts;
        const known = found.get(selector);
        found.set(selector, {
          passed: (known?.passed ?? 0) + passed,
          failed: (known?.failed ?? 0) + failed,
          last: day.day,
          lastPassed: passed > 0 ? day.day : known?.lastPassed,
        });
      }
  }
  const middle = daysBefore(to, USE_DAYS / 2);
  const isReporting = days.some((day) => day < middle) && days.some((day) => day >= middle);
  return { selectors: found, isReporting };
}
