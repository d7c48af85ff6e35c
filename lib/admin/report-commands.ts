/** The operator commands for reports: replaying stored mail, and importing archives. */
import { ingestReportMail, readReportMail } from '../../shared/ingest/ingest-mail.ts';
import { ingestReports } from '../../shared/ingest/ingest-reports.ts';
import { counted } from '../../shared/protocol/quantity.ts';
import { MAX_MESSAGE_BYTES } from '../../shared/reports/limits.ts';
import { readFile } from '../../shared/reports/read-mail.ts';
import type { ReportReading } from '../../shared/reports/report.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import {
  type MailOutcome,
  type MailOutcomeKind,
  mailOutcomeKinds,
  type ReportMail,
} from '../../shared/store/reports/mail-outcomes.ts';
import { CommandError } from '../local/command-line.ts';
import type { AdminDependencies, Options } from './command.ts';
import { entriesOf, type FoundEntry, fileNameOf, filesAt } from './mail-files.ts';

/** Outcomes that a replay does not improve. */
const settled: ReadonlySet<MailOutcomeKind> = new Set(['accepted', 'accepted-with-warnings', 'duplicate']);

const EVERY_OUTCOME = 'all';

/** How many failed items are listed individually. */
const MAX_LISTED = 20;

/**
 * `replay <domain> [--outcome <kind>]`. The new results of a mail replace its earlier ones. To continue after an
 * interruption, run the same command again.
 */
export async function replay(
  [name]: readonly string[],
  { outcome: wanted, org }: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const isWanted = selection(wanted);
  const domain = await domainNamed(name, org, deps);
  const [stores, unauthenticated] = [deps.stores(), deps.unauthenticated()];
  const [raw, dns] = [deps.raw(), deps.dns()];
  const mails: ReportMail[] = [];
  for await (const mail of stores.outcomes.all(domain.id)) {
    if (mail.outcomes.some(({ kind }) => isWanted(kind))) mails.push(mail);
  }
  const tally = new Tally();
  let changed = 0;
  for (const [at, mail] of mails.entries()) {
    deps.progress.show(at, mails.length);
    const now = deps.clock.now();
    const read = await readReportMail(mail, { raw, dns });
    if (read === undefined) {
      tally.miss(`${mail.rawKey}: the message is no longer stored`);
      continue;
    }
    const outcomes = await ingestReportMail(mail, read, { domain, unauthenticated }, { stores, now });
    if (outcomes === undefined) throw new CommandError(`${domain.domain} was removed in the meantime`);
    if (kindsOf(outcomes) !== kindsOf(mail.outcomes)) changed += 1;
    for (const outcome of outcomes) tally.add(mail.rawKey, outcome);
  }
  deps.progress.end();
  return [
    `${domain.domain}: ${counted(mails.length, 'mail')} read again, ${changed} with a different outcome`,
    ...tally.lines(),
  ];
}

/** `import-reports <domain> <files, folders, mbox, maildir>`: old reports raise no alerts. */
export async function importReports(
  [name, ...paths]: readonly string[],
  { org }: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const domain = await domainNamed(name, org, deps);
  if (paths.length === 0) throw new CommandError('files or folders are missing');
  const files = await filesAt(paths);
  const stores = deps.stores();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const tally = new Tally();
  let done = 0;
  for (const file of files) {
    for await (const entry of entriesOf(file, MAX_MESSAGE_BYTES)) {
      const now = deps.clock.now();
      const arrival = { receivedAt: now, authenticated: null, rawKey: null };
      const readings = await readEntry(entry, now);
      const context = { domain, arrival, unauthenticated: 'count', alerts: false } as const;
      const outcomes = await ingestReports(readings, context, stores, now);
      if (outcomes === undefined) throw new CommandError(`${domain.domain} was removed in the meantime`);
      for (const outcome of outcomes) tally.add(entry.name, outcome);
      const octets = entry.bytes === 'too-large' ? 0 : entry.bytes.length;
      deps.progress.show(Math.min(done + octets, total), total);
    }
    done += file.size;
    deps.progress.show(done, total);
  }
  deps.progress.end();
  return [`${domain.domain}: ${counted(files.length, 'file')} read`, ...tally.lines()];
}

function readEntry(entry: FoundEntry, now: Date): Promise<readonly ReportReading[]> {
  if (entry.bytes !== 'too-large') return readFile(fileNameOf(entry), entry.bytes, { now });
  const detail = `the file is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`;
  return Promise.resolve([{ outcome: 'too-large', source: entry.name, detail }]);
}

function selection(wanted: string | undefined): (kind: MailOutcomeKind) => boolean {
  if (wanted === undefined) return (kind) => !settled.has(kind);
  if (wanted === EVERY_OUTCOME) return () => true;
  if (!mailOutcomeKinds.some((kind) => kind === wanted)) {
    const known = [...mailOutcomeKinds, EVERY_OUTCOME].join(', ');
    throw new CommandError(`unknown outcome: ${wanted}; available: ${known}`);
  }
  return (kind) => kind === wanted;
}

async function domainNamed(
  name: string | undefined,
  org: string | undefined,
  { organizations, domains }: AdminDependencies,
): Promise<Domain> {
  if (name === undefined) throw new CommandError('a domain is missing');
  const ids = org === undefined ? (await organizations.list()).map(({ id }) => id) : [org];
  const found = (await Promise.all(ids.map((id) => domains.named(id, name.toLowerCase())))).filter(
    (domain) => domain !== undefined,
  );
  const [domain, ...others] = found;
  if (domain === undefined) throw new CommandError(`domain not found: ${name}`);
  if (others.length === 0) return domain;
  const owners = found.map(({ organization }) => organization).join(', ');
  throw new CommandError(`several organizations have registered ${name}; select one with --org: ${owners}`);
}

const kindsOf = (outcomes: readonly MailOutcome[]): string => outcomes.map(({ kind }) => kind).join(' ');

/** Counts outcomes, and collects the items that did not become a report. */
class Tally {
  readonly #counts = new Map<MailOutcomeKind, number>();
  readonly #told: string[] = [];
  #missed = 0;

  add(where: string, { kind, reason }: MailOutcome): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (!settled.has(kind)) this.miss(`${where}: ${kind}: ${reason}`);
  }

  miss(what: string): void {
    this.#missed += 1;
    if (this.#told.length < MAX_LISTED) this.#told.push(what);
  }

  lines(): string[] {
    const counts = mailOutcomeKinds.flatMap((kind) => {
      const count = this.#counts.get(kind);
      return count === undefined ? [] : [`  ${String(count).padStart(8)}  ${kind}`];
    });
    const more = this.#missed - this.#told.length;
    return [
      ...counts,
      ...this.#told.map((what) => `  - ${what}`),
      ...(more > 0 ? [`  - and ${more} more`] : []),
    ];
  }
}
