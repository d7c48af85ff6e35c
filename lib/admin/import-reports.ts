/** `import-reports`: stores reports from archives. */

import { audited } from '../../shared/operations/audit.ts';
import {
  type ImportedFile,
  importReports as importFiles,
  operation,
} from '../../shared/operations/reports/import-report.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { MAX_MESSAGE_BYTES } from '../../shared/reports/limits.ts';
import type { Domain, DomainReference } from '../../shared/store/domains/domains.ts';
import { MOST_TOGETHER } from '../../shared/store/reports/commit.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies, Options } from './command.ts';
import { domainNamed } from './domain-named.ts';
import { entriesOf, type FoundFile, fileNameOf, filesAt } from './mail-files.ts';
import { accepted } from './perform.ts';
import { ReadingThreads } from './reading-threads.ts';
import { Tally } from './tally.ts';

/**
 * `import-reports <domain> <files, folders, mbox, maildir>`: old reports raise no alerts.
 * @throws CommandError if no report is stored, after the reasons.
 */
export async function importReports(
  [name, ...paths]: [string, ...string[]],
  { org }: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const domain = await domainNamed(name, org, deps);
  const files = filesAt(paths);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const tally = new Tally();
  const threads = new ReadingThreads();
  let done = 0;
  let imported: Awaited<ReturnType<typeof importFiles>>;
  try {
    imported = await importFiles(domain, batchesOf(files), {
      ...{ clock: deps.clock, stores: deps.stores(), sumReports: deps.sumReports },
      read: threads.read.bind(threads),
      rollUpAll: (reference) => rollUp(reference, deps),
      onBatch(batch, outcomes) {
        for (const [at, { where }] of batch.entries())
          for (const outcome of outcomes[at] ?? []) tally.add(where, outcome);
        done += batch.reduce((sum, { size }) => sum + size, 0);
        deps.progress.show(Math.min(done, total), total);
      },
    });
  } finally {
    await threads.stop();
  }
  deps.progress.end();
  const stored = accepted(imported);
  const lines = [`${domain.domain}: ${pluralize(files.length, 'file')} read`, ...tally.lines()];
  if (tally.days === undefined) throw new CommandError('no report was accepted', lines.join('\n'));
  await audited(operation, domain.organization, deps, stored);
  return [...lines, '', ...whereToFind(domain, tally.days)];
}

/** Readers read what is not rolled up report by report, which costs more and changes nothing. */
async function rollUp(
  domain: DomainReference,
  { rollUpAll }: Pick<AdminDependencies, 'rollUpAll'>,
): Promise<void> {
  try {
    await rollUpAll(domain);
  } catch (error) {
    // A table alone has no queues; the next report of another day has the days rolled up.
    if (!(error instanceof CommandError)) throw error;
  }
}

const MOST_BYTES = 8 * 1024 * 1024;

/** A file or mail, and where it is. */
interface Entry extends ImportedFile {
  readonly where: string;
  /** Bytes. */
  readonly size: number;
}

/** Files and mails in batches that need little memory, unless a single one needs more. */
async function* batchesOf(files: readonly FoundFile[]): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = [];
  let octets = 0;
  for (const file of files)
    for await (const found of entriesOf(file, MAX_MESSAGE_BYTES)) {
      const { name: where, bytes } = found;
      const size = bytes === 'too-large' ? 0 : bytes.length;
      if (batch.length === MOST_TOGETHER || (batch.length > 0 && octets + size > MOST_BYTES)) {
        yield batch;
        batch = [];
        octets = 0;
      }
      batch.push({ name: fileNameOf(found), where, bytes, size });
      octets += size;
    }
  if (batch.length > 0) yield batch;
}

/** The longest window of sources and timelines, in days. */
const MAX_WINDOW = 366;

/** Without dates, sources and timelines cover the last 30 days, which rarely contain an archive. */
function whereToFind({ id }: Domain, { first, last }: NonNullable<Tally['days']>): string[] {
  const earliest = daysBefore(last, MAX_WINDOW - 1);
  const window = `startDate=${first < earliest ? earliest : first}&endDate=${last}`;
  return [
    `The periods of these reports start from ${first} to ${last}. Without dates, sources and timelines show only the`,
    `last 30 days. To see ${first < earliest ? `the last ${MAX_WINDOW} days of these reports` : 'these reports'}, add the dates, in the console and in requests:`,
    `  /console/domains/${id}/dmarc?${window}`,
  ];
}
