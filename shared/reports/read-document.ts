/** Parses a document into a report with its identity, or throws a refusal. */
import { UnpackBudget } from './budget.ts';
import { readDmarcReport } from './dmarc/aggregate.ts';
import { collect, type Document, type Opener } from './documents.ts';
import { DmarcIdentityHasher } from './identity.ts';
import { MAX_HELD_RECORDS, MAX_JSON_BYTES, RECORDS_PER_BATCH } from './limits.ts';
import type { MessageHeaders } from './message.ts';
import { notAReport } from './refusal.ts';
import type { DmarcReading, DmarcRecordRow, RecordConsumer, TlsReading } from './report.ts';
import { readTlsReport } from './tls/tls-rpt.ts';
import { Warnings } from './warnings.ts';

/** The context of a document: budget, warnings, and mail. */
interface DocumentContext {
  readonly budget: UnpackBudget;
  readonly warnings: Warnings;
  /** The headers of the mail that contained it. */
  readonly headers: MessageHeaders | undefined;
  /** When the report was received. */
  readonly now: Date | undefined;
}

/** Parses a document that is not a message; throws a refusal. */
export async function readDocument(
  document: Document,
  context: DocumentContext,
): Promise<DmarcReading | TlsReading> {
  context.budget.startDocument();
  if (document.kind === 'xml') return readXml(document, context);
  if (document.kind === 'json') return readJson(document, context);
  throw notAReport(await oddity(document, context));
}

async function readXml(
  { source, open }: Document,
  { budget, warnings, now }: DocumentContext,
): Promise<DmarcReading> {
  const held: DmarcRecordRow[] = [];
  const content = new DmarcIdentityHasher();
  const { report, counts } = await readDmarcReport(
    open(budget, warnings),
    (rows) => {
      budget.allowRows(rows.length);
      for (const row of rows) content.add(row);
      if (held.length < MAX_HELD_RECORDS) held.push(...rows);
    },
    { fileName: source, warnings, ...(now && { now }) },
  );
  return {
    outcome: 'dmarc',
    source,
    report,
    warnings: warnings.list(),
    counts,
    identity: content.identity(report),
    eachRecords: (onRecords) =>
      held.length === counts.records ? inBatches(held, onRecords) : readAgain(open, source, onRecords),
  };
}

async function readJson(
  { source, open }: Document,
  { budget, warnings, headers, now }: DocumentContext,
): Promise<TlsReading> {
  const bytes = await collect(open(budget, warnings), MAX_JSON_BYTES, 'the JSON');
  const domain = headers?.get('tls-report-domain');
  const read = readTlsReport(bytes, {
    warnings,
    ...(domain !== undefined && { domain }),
    ...(now && { now }),
  });
  return { outcome: 'tls', source, ...read, warnings: warnings.list() };
}

/** Describes a document that is neither XML nor JSON. Yahoo sent the word "unused" for a while. */
async function oddity({ open }: Document, { budget, warnings }: DocumentContext): Promise<string> {
  let start = '';
  // Reads to the end, so that a corrupt archive is reported as such.
  for await (const chunk of open(budget, warnings))
    start ||= Buffer.from(chunk.subarray(0, 100)).toString('latin1');
  if (start === '') return 'it is empty';
  const isPlaceholder = start.trim() === 'unused';
  return isPlaceholder ? 'it contains the word "unused" instead of a report' : 'it is neither XML nor JSON';
}

async function inBatches(rows: readonly DmarcRecordRow[], onRecords: RecordConsumer): Promise<void> {
  for (let at = 0; at < rows.length; at += RECORDS_PER_BATCH)
    await onRecords(rows.slice(at, at + RECORDS_PER_BATCH));
}

async function readAgain(open: Opener, fileName: string, onRecords: RecordConsumer): Promise<void> {
  const budget = new UnpackBudget();
  const warnings = new Warnings();
  const consume: RecordConsumer = (rows) => {
    budget.allowRows(rows.length);
    return onRecords(rows);
  };
  await readDmarcReport(open(budget, warnings), consume, { warnings, fileName });
}
