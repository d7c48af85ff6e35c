/** Reporters: who sends reports about a domain, and how they apply its policy. */

import { organizationalDomain } from '../protocol/domain-name.ts';
import type { ReportSummary } from '../reports/dmarc/summary/shapes.ts';
import { memoized } from '../reports/values.ts';
import type { ReportDays } from './dependencies.ts';
import { appliedPolicy, termsOfReport } from './policy-terms.ts';
import { passed } from './senders.ts';
import type { Reporter } from './shapes.ts';

interface Counted {
  readonly reporter: string;
  readonly domain: string | null;
  reports: number;
  messages: number;
  overriddenMessages: number;
  specification: Reporter['specification'];
  appliesTesting: boolean | null;
}

/** The reporters of a window, most messages first: what has the same name and another domain is another reporter. */
export async function reportersOf(monitored: string, days: ReportDays): Promise<readonly Reporter[]> {
  const found = new Map<string, Counted>();
  const organizational = memoized(organizationalDomain);
  for await (const { summaries } of days) {
    for (const report of summaries) {
      const reporter = report.reporter ?? 'others';
      const { authenticatedDomain: mail } = report;
      const domain = mail === null ? null : organizational(mail);
      const key = `${domain} ${reporter}`;
      const counted = found.get(key) ?? {
        ...{ reporter, domain },
        ...{ reports: 0, messages: 0, overriddenMessages: 0 },
        specification: 'RFC 7489',
        appliesTesting: null,
      };
      found.set(key, counted);
      counted.reports += report.reports;
      // The newest reports decide: a reporter follows the later specification from some day on.
      counted.specification = report.specification;
      for (const { count, overrides } of report.records) {
        counted.messages += count;
        if (overrides.length > 0) counted.overriddenMessages += count;
      }
      counted.appliesTesting = appliesTesting(monitored, report) ?? counted.appliesTesting;
    }
  }
  return [...found.values()].toSorted(
    (a, b) => b.messages - a.messages || (a.reporter < b.reporter ? -1 : 1),
  );
}

/**
 * Whether a report shows that `t=y` weakened the policy: for mail that failed under p=quarantine or p=reject, without
 * another reason to spare it. Null if it has no such mail.
 */
function appliesTesting(domain: string, { policy, records }: ReportSummary): boolean | null {
  if (policy === null || !policy.testing) return null;
  const terms = termsOfReport(policy);
  const tag = policy.domain === domain ? 'p' : 'sp';
  const full = appliedPolicy({ ...terms, testing: false }, tag);
  const weakened = appliedPolicy(terms, tag);
  if (full === weakened) return null;
  const telling = records.filter(
    (record) =>
      !passed(record) &&
      record.overrides.every((type) => type === 'policy_test_mode') &&
      record.headerFrom === domain,
  );
  if (telling.length === 0) return null;
  return telling.every(({ disposition }) => disposition === weakened);
}
