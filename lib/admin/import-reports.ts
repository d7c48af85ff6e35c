/** `import-reports`: stores reports from archives. */

import { ingestReports } from '../../shared/ingest/ingest-reports.ts';
import { counted } from '../../shared/protocol/quantity.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { MAX_MESSAGE_BYTES } from '../../shared/reports/limits.ts';
import { readFile } from '../../shared/reports/read-mail.ts';
import type { ReportReading } from '../../shared/reports/report.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import type { Arrival } from '../../shared/store/reports/commit.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies, Options } from './command.ts';
import { domainNamed } from './domain-named.ts';
import { entriesOf, type FoundEntry, fileNameOf, filesAt } from './mail-files.ts';
import { Tally } from './tally.ts';

/**
 * `import-reports <domain> <files, folders, mbox, maildir>`: old reports raise no alerts.
 * @throws CommandError if no report is stored, after the reasons.
 */
export async function importReports(
  [name, ...paths]: readonly string[],
  { org }: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const domain = await domainNamed(name, org, deps);
  if (paths.length === 0) throw new CommandError('files or folders are missing');
  const files = await filesAt(paths);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const tally = new Tally();
  let done = 0;
  for (const file of files) {
    for await (const entry of entriesOf(file, MAX_MESSAGE_BYTES)) {
      await importEntry(entry, { domain, alerts: false, authenticated: null }, tally, deps);
      const octets = entry.bytes === 'too-large' ? 0 : entry.bytes.length;
      deps.progress.show(Math.min(done + octets, total), total);
    }
    done += file.size;
    deps.progress.show(done, total);
  }
  deps.progress.end();
  await deps.sumReports(domain);
  const lines = [`${domain.domain}: ${counted(files.length, 'file')} read`, ...tally.lines()];
  if (tally.days === undefined) throw new CommandError('no report was accepted', lines.join('\n'));
  return [...lines, '', ...whereToFind(domain, tally.days)];
}

/**
 * Stores the reports of a file or mail.
 * @param context `authenticated`: whether the mail with the reports passed DMARC; null if that is unknown.
 *   `authenticatedDomain`: the domain that is authenticated then.
 * @throws CommandError if the domain was removed.
 */
export async function importEntry(
  entry: FoundEntry,
  {
    domain,
    alerts,
    ...mail
  }: { readonly domain: Domain; readonly alerts: boolean } & Pick<
    Arrival,
    'authenticated' | 'authenticatedDomain'
  >,
  tally: Tally,
  deps: Pick<AdminDependencies, 'clock' | 'stores'>,
): Promise<void> {
  const now = deps.clock.now();
  const arrival = { receivedAt: now, ...mail, rawKey: null };
  const readings = await readEntry(entry, now);
  const context = { domain, arrival, unauthenticated: 'count', alerts } as const;
  const ingested = await ingestReports(readings, context, deps.stores(), now);
  if (ingested === undefined) throw new CommandError(`${domain.domain} was removed in the meantime`);
  for (const outcome of ingested.outcomes) tally.add(entry.name, outcome);
}

/** The longest window of sources and timelines, in days. */
const MAX_WINDOW = 366;

/** Without dates, sources and timelines cover the last 30 days, which rarely contain an archive. */
function whereToFind({ id }: Domain, { first, last }: NonNullable<Tally['days']>): string[] {
  const earliest = daysBefore(last, MAX_WINDOW - 1);
  const window = `startDate=${first < earliest ? earliest : first}&endDate=${last}`;
  return [
    `The periods of these reports start from ${first} to ${last}. Without dates, sources and timelines show only the`,
    `last 30 days. To see ${first < earliest ? `the last ${MAX_WINDOW} days of these reports` : 'these reports'}, add the dates:`,
    `  /api/v1/domains/${id}/reports/dmarc/timeline?${window}`,
  ];
}

function readEntry(entry: FoundEntry, now: Date): Promise<readonly ReportReading[]> {
  if (entry.bytes !== 'too-large') return readFile(fileNameOf(entry), entry.bytes, { now });
  const detail = `the file is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`;
  return Promise.resolve([{ outcome: 'too-large', source: entry.name, detail }]);
}
