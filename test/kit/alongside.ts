/** Stores what goes alongside a report without a report. */
import type { ReportAlertDraft } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/store/alerts/alerts.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import type { DomainReference } from '../../shared/store/domains/domain.ts';
import { isRegistered } from '../../shared/store/domains/writes.ts';
import type { Table, TransactionPart } from '../../shared/store/table.ts';

/** Performs the writes like a commit of a report, until nothing changed meanwhile. False if the domain is gone. */
async function storeAlongside(
  table: Table,
  domain: DomainReference,
  { reads, writes }: TransactionPart,
): Promise<boolean> {
  for (;;) {
    const made = writes(reads.length === 0 ? { of: () => undefined } : await table.getMany(reads));
    if (made.length === 0) return true;
    const failed = await table.tryTransact([isRegistered(domain), ...made]);
    if (failed.size === 0 || failed.has(0)) return failed.size === 0;
  }
}

/** Raises an alert about a report without quota. */
export async function raiseAlert(
  { table, alerts }: { readonly table: Table; readonly alerts: AlertStore },
  domain: DomainReference,
  draft: ReportAlertDraft,
  now: Date,
): Promise<void> {
  const quota = { authClass: 'authenticated', limit: Number.MAX_SAFE_INTEGER } as const;
  const day = now.toISOString().slice(0, 10);
  await storeAlongside(table, domain, alerts.alongsideReport(domain, [draft], { day, quota }, now));
}

export async function rememberSelectors(
  table: Table,
  domain: DomainReference,
  selectors: ReadonlySet<string>,
  day: string,
  isProven = false,
): Promise<void> {
  const seen = new Map([...selectors].map((selector) => [selector, day]));
  await storeAlongside(table, domain, seenSelectorStore(table).alongsideReports(domain, seen, { isProven }));
}
