import { domainPath } from '../../api/common.ts';
import { ingestReports, type ReportStores } from '../../ingest/ingest-reports.ts';
import type { Clock } from '../../network/ports.ts';
import { MAX_MESSAGE_BYTES } from '../../reports/limits.ts';
import { readFile } from '../../reports/read-mail.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { Arrival } from '../../store/reports/commit.ts';
import type { MailOutcome } from '../../store/reports/mail-outcomes.ts';
import { noSuchDomain, subjectOf } from '../domains/on-domain.ts';
import type { Operation, OutcomeOf } from '../operation.ts';

export const operation = {
  name: 'importReports',
  summary: 'Store the reports of a file or mail',
  scope: 'operator',
  on: domainPath,
  refusals: ['not_found'],
  uses: [],
} as const satisfies Operation;

/** A file or mail from an archive. */
interface ImportedFile {
  readonly name: string;
  readonly bytes: Uint8Array | 'too-large';
  /** Whether its reports raise alerts. */
  readonly alerts: boolean;
  /** Whether the mail with the reports passed DMARC, and for which domain; null if that is unknown. */
  readonly arrival: Pick<Arrival, 'authenticated' | 'authenticatedDomain'>;
  /** When the reports were received, which says whether their periods are plausible; by default now. */
  readonly receivedAt?: Date;
}

interface ImportDependencies {
  readonly stores: ReportStores;
  readonly clock: Clock;
}

/** Safe to repeat: a report that is stored already is a duplicate. */
export async function importReport(
  domain: Domain,
  { name, bytes, alerts, arrival: mail, ...file }: ImportedFile,
  { stores, clock }: ImportDependencies,
): Promise<OutcomeOf<typeof operation, readonly MailOutcome[]>> {
  const now = clock.now();
  const { receivedAt = now } = file;
  const arrival = { receivedAt: now, ...mail, rawKey: null };
  const readings =
    bytes === 'too-large' ? [tooLarge(name)] : await readFile(name, bytes, { now: receivedAt });
  const context = { domain, arrival, unauthenticated: 'count', alerts } as const;
  const ingested = await ingestReports(readings, context, stores, now);
  return ingested === undefined
    ? noSuchDomain()
    : { value: ingested.outcomes, subjects: [subjectOf(domain)] };
}

const tooLarge = (source: string) => ({
  ...({ outcome: 'too-large', source } as const),
  detail: `the file is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`,
});
