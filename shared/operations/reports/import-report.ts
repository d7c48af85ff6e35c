import { domainPath } from '../../api/common.ts';
import { ingestArchive } from '../../ingest/ingest-archive.ts';
import { ingestReports, type ReportStores } from '../../ingest/ingest-reports.ts';
import type { Clock } from '../../network/ports.ts';
import { MAX_MESSAGE_BYTES } from '../../reports/limits.ts';
import { readFile } from '../../reports/read-mail.ts';
import type { ReportReading } from '../../reports/report.ts';
import type { Domain, DomainReference } from '../../store/domains/domains.ts';
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
export interface ImportedFile {
  readonly name: string;
  readonly bytes: Uint8Array | 'too-large';
}

interface ImportOptions {
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

/** Stores the reports of a file. Safe to repeat: a report that is stored already is a duplicate. */
export async function importReport(
  domain: Domain,
  file: ImportedFile,
  { alerts, arrival: mail, receivedAt }: ImportOptions,
  { stores, clock }: ImportDependencies,
): Promise<OutcomeOf<typeof operation, readonly MailOutcome[]>> {
  const now = clock.now();
  const arrival = { receivedAt: now, ...mail, rawKey: null };
  const context = { domain, arrival, unauthenticated: 'count', alerts } as const;
  const ingested = await ingestReports(await readingsOf(file, receivedAt ?? now), context, stores, now);
  return ingested === undefined
    ? noSuchDomain()
    : { value: ingested.outcomes, subjects: [subjectOf(domain)] };
}

interface ArchiveDependencies<File> extends ImportDependencies {
  /** Reads a file, as `readFile` does. */
  readonly read: Read;
  /** Called after each batch, with the outcomes of each file. */
  readonly onBatch: (batch: readonly File[], outcomes: readonly (readonly MailOutcome[])[]) => void;
  /** Sums the reports of the domain for its organization. */
  readonly sumReports: (domain: DomainReference) => Promise<void>;
  /** Has the service roll up all days of the domain. */
  readonly rollUpAll: (domain: DomainReference) => Promise<void>;
}

/** Batches that are stored at once: while one is stored, the next one is read. */
const AT_ONCE = 2;

/** Stores the reports of the files of an archive, which come in batches. Safe to repeat. */
export async function importReports<File extends ImportedFile>(
  domain: Domain,
  batches: AsyncGenerator<readonly File[]>,
  { stores, clock, read, onBatch, sumReports, rollUpAll }: ArchiveDependencies<File>,
): Promise<OutcomeOf<typeof operation, null>> {
  const store = async (): Promise<boolean> => {
    for await (const batch of batches) {
      const now = clock.now();
      const readings = await Promise.all(batch.map((file) => readingsOf(file, now, read)));
      // Nobody knows who sent a mail that was not received here.
      const arrival = { receivedAt: now, authenticated: null, rawKey: null };
      const context = { domain, arrival, unauthenticated: 'count' } as const;
      const found = await ingestArchive(readings.flat(), context, stores, now);
      if (found === undefined) return false;
      onBatch(
        batch,
        readings.map((of) => of.flatMap((reading) => found.get(reading) ?? [])),
      );
    }
    return true;
  };
  const isThere = await Promise.all(Array.from({ length: AT_ONCE }, store));
  if (isThere.includes(false)) return noSuchDomain();
  await sumReports(domain);
  await rollUpAll(domain);
  return { value: null, subjects: [subjectOf(domain)] };
}

type Read = (name: string, bytes: Uint8Array, now: Date) => Promise<readonly ReportReading[]>;

async function readingsOf(
  { name, bytes }: ImportedFile,
  now: Date,
  read: Read = (...given) => readFile(given[0], given[1], { now }),
): Promise<readonly ReportReading[]> {
  return bytes === 'too-large' ? [tooLarge(name)] : read(name, bytes, now);
}

const tooLarge = (source: string) => ({
  ...({ outcome: 'too-large', source } as const),
  detail: `the file is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`,
});
