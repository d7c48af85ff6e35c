/** Removes the reports of an earlier reading of a mail that the new reading no longer contains. */
import type { DomainReference } from '../store/domains/domains.ts';
import type { MailOutcome, MailOutcomeKind } from '../store/reports/mail-outcomes.ts';
import type { ReportReference } from '../store/reports/stored-report.ts';
import type { ReportStores } from './context.ts';

/** Where a report with an outcome is: among the reports or among the conflicts. Nothing is stored for other outcomes. */
const placeOf: { readonly [Kind in MailOutcomeKind]?: 'stored' | 'conflict' } = {
  accepted: 'stored',
  'accepted-with-warnings': 'stored',
  conflict: 'conflict',
};

/**
 * Removes what the message at `rawKey` stored according to its `previous` outcomes but not according to its `present`
 * ones. Reports of other messages are kept. Idempotent.
 */
export async function withdrawPrevious(
  previous: readonly MailOutcome[],
  present: readonly MailOutcome[],
  { domain, rawKey }: { readonly domain: DomainReference; readonly rawKey: string },
  { stores, now }: { readonly stores: ReportStores; readonly now: Date },
): Promise<void> {
  const presentNames = new Set(present.map(nameOf));
  for (const outcome of previous) {
    const { kind, report } = outcome;
    if (!report || presentNames.has(nameOf(outcome))) continue;
    if (placeOf[kind] === 'conflict') await stores.outcomes.withdrawConflict(domain, report, rawKey);
    if (placeOf[kind] === 'stored') {
      const rollUp = await storeOf(report, stores).withdraw(domain, report, rawKey, now);
      if (rollUp !== null) await stores.rollUp(domain, rollUp);
    }
  }
}

const storeOf = ({ kind }: ReportReference, { dmarcReports, tlsReports }: ReportStores) =>
  kind === 'DMARC' ? dmarcReports : tlsReports;

/** Equal for outcomes that are stored in the same place. */
function nameOf({ kind, report }: MailOutcome): string {
  const place = placeOf[kind];
  if (!report || place === undefined) return '';
  return [
    place,
    report.kind,
    report.begin,
    report.id,
    ...(place === 'conflict' ? [report.contentHash] : []),
  ].join();
}
