/** What becomes of what a mail brought, where it is read again and another reading comes out. */
import type { DomainReference } from '../store/domains/domains.ts';
import type { MailOutcome, MailOutcomeKind } from '../store/reports/mail-outcomes.ts';
import type { ReportReference } from '../store/reports/withdrawal.ts';
import type { ReportStores } from './take-reports.ts';

/** What is kept of a report with an outcome: it is stored, or kept aside. Of any other outcome, nothing is. */
const keptAs: { readonly [Kind in MailOutcomeKind]?: 'stored' | 'aside' } = {
  accepted: 'stored',
  'accepted-with-warnings': 'stored',
  conflict: 'aside',
};

/**
 * Removes what the message at `rawKey` brought going by its `former` outcomes, and does not bring going by its present
 * ones. What others brought stays. May be done again at any time.
 */
export async function withdrawFormer(
  former: readonly MailOutcome[],
  present: readonly MailOutcome[],
  { domain, rawKey }: { readonly domain: DomainReference; readonly rawKey: string },
  { stores, now }: { readonly stores: ReportStores; readonly now: Date },
): Promise<void> {
  const stays = new Set(present.map(nameOf));
  for (const outcome of former) {
    const { kind, report } = outcome;
    if (!report || stays.has(nameOf(outcome))) continue;
    if (keptAs[kind] === 'aside') await stores.outcomes.withdrawAside(domain, report, rawKey);
    if (keptAs[kind] === 'stored') await storeOf(report, stores).withdraw(domain, report, rawKey, now);
  }
}

const storeOf = ({ kind }: ReportReference, { dmarcReports, tlsReports }: ReportStores) =>
  kind === 'DMARC' ? dmarcReports : tlsReports;

/** The same for what lies in the same place. */
function nameOf({ kind, report }: MailOutcome): string {
  const place = keptAs[kind];
  if (!report || place === undefined) return '';
  return [
    place,
    report.kind,
    report.begin,
    report.id,
    ...(place === 'aside' ? [report.contentHash] : []),
  ].join();
}
