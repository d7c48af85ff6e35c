/** `import-reports`: stores reports from archives. */

import { subjectOf } from '../../shared/operations/domains/on-domain.ts';
import { importReport, operation } from '../../shared/operations/reports/import-report.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { MAX_MESSAGE_BYTES } from '../../shared/reports/limits.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies, Options } from './command.ts';
import { entriesOf, fileNameOf, filesAt } from './mail-files.ts';
import { domainNamed } from './named.ts';
import { accepted, audited } from './perform.ts';
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
  const files = await filesAt(paths);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const tally = new Tally();
  // Nobody knows who sent a mail that was not received here.
  const arrival = { authenticated: null };
  const reading = { clock: deps.clock, stores: deps.stores() };
  let done = 0;
  for (const file of files) {
    for await (const entry of entriesOf(file, MAX_MESSAGE_BYTES)) {
      const given = { name: fileNameOf(entry), bytes: entry.bytes, alerts: false, arrival };
      const outcomes = accepted(await importReport(domain, given, reading)).value;
      for (const outcome of outcomes) tally.add(entry.name, outcome);
      const octets = entry.bytes === 'too-large' ? 0 : entry.bytes.length;
      deps.progress.show(Math.min(done + octets, total), total);
    }
    done += file.size;
    deps.progress.show(done, total);
  }
  deps.progress.end();
  await deps.sumReports(domain);
  const lines = [`${domain.domain}: ${pluralize(files.length, 'file')} read`, ...tally.lines()];
  if (tally.days === undefined) throw new CommandError('no report was accepted', lines.join('\n'));
  await audited(operation, domain.organization, deps, { value: null, subjects: [subjectOf(domain)] });
  return [...lines, '', ...whereToFind(domain, tally.days)];
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
