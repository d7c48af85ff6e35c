/** The way in: what a raw message or a file carries, read into reports, each with what tells it from the others. */
import { UnpackBudget } from './budget.ts';
import { readDmarcReport } from './dmarc-aggregate.ts';
import { collect, type Document, documents, mayHoldReport, type Opener } from './documents.ts';
import { type FailureFacts, readFeedback, readPlainFailure } from './failure-report.ts';
import { DmarcContent } from './identity.ts';
import { MAX_ATTACHMENTS, MAX_HELD_RECORDS, MAX_JSON_BYTES, RECORDS_PER_BATCH } from './limits.ts';
import { type ByteSource, type MessageHeaders, type MessagePart, messageParts } from './message.ts';
import { notAReport, RefusalError } from './refusal.ts';
import type {
  DmarcReading,
  DmarcRecordRow,
  RecordConsumer,
  Refusal,
  ReportOutcome,
  TlsReading,
} from './report.ts';
import { readTlsReport } from './tls-rpt.ts';
import { Warnings } from './warnings.ts';

export interface ReadOptions {
  /** Against which the periods of reports are judged. */
  readonly now?: Date;
}

/**
 * Reads a raw message. At least one outcome: reports in the order in which they stand, refusals of what was meant to be
 * one, or a single `not-a-report`. Throws only what `source` throws.
 */
export async function readMail(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<readonly ReportOutcome[]> {
  const reading = new Reading(options);
  try {
    let attachments = 0;
    for await (const part of messageParts(source)) {
      if (part.type === 'message/feedback-report')
        return [{ outcome: 'failure', source: part.type, ...readFeedback(part.bytes) }];
      reading.note(part);
      if (part.bytes.length === 0) continue;
      if (mayHoldReport(part.bytes) && ++attachments > MAX_ATTACHMENTS) {
        reading.refuse({
          outcome: 'too-large',
          source: 'mail',
          detail: `the mail has more than ${MAX_ATTACHMENTS} attachments; the rest was not read`,
        });
        break;
      }
      const { fileName, type, bytes, headers } = part;
      await reading.attachment({ name: fileName || type, bytes, isNamed: fileName !== '', headers });
    }
  } catch (refusal) {
    if (!(refusal instanceof RefusalError)) throw refusal;
    reading.refuse({ outcome: refusal.reason, source: 'mail', detail: refusal.message });
  }
  return reading.outcomes();
}

/**
 * Reads a file as reporters attach it, or a message in a file; its name is only used where the report does not say what
 * it is about. Never throws.
 */
export async function readFile(
  name: string,
  bytes: Uint8Array,
  options: ReadOptions = {},
): Promise<readonly ReportOutcome[]> {
  if (isMessage(bytes)) return readMail(bytes, options);
  const reading = new Reading(options);
  await reading.attachment({ name, bytes, isNamed: true });
  return reading.outcomes();
}

/** Whether a file begins with a header field, or with the line that mbox puts in front. */
function isMessage(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 1_000)).toString('latin1');
  return /^(?:From .*\r?\n)?[!-9;-~]{1,76}[ \t]*:/.test(start) && !/^\s*[<{]/.test(start);
}

interface ReadAttachment {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Whether it is a file, as opposed to text of the mail. */
  readonly isNamed: boolean;
  readonly headers?: MessageHeaders;
}

class Reading {
  readonly #options: ReadOptions;
  readonly #budget = new UnpackBudget();
  readonly #found: ReportOutcome[] = [];
  #notAReport: Refusal | undefined;
  #plainFailure: FailureFacts | undefined;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** Remembers what makes the mail a failure report, if nothing else is found in it. */
  note({ type, bytes, headers }: MessagePart): void {
    const text = type === '' || type.startsWith('text/') ? bytes : new Uint8Array();
    this.#plainFailure ??= readPlainFailure(headers, text);
  }

  refuse(refusal: Refusal): void {
    this.#found.push(refusal);
  }

  async attachment({ name, bytes, isNamed, headers }: ReadAttachment): Promise<void> {
    const warnings = new Warnings();
    for await (const found of documents(name, bytes, this.#budget, warnings)) {
      const outcome = found.outcome === 'document' ? await this.#read(found, headers, warnings) : found;
      if (outcome.outcome !== 'not-a-report') this.#found.push(outcome);
      else if (isNamed || (found.outcome === 'document' && found.isPacked)) this.#notAReport ??= outcome;
    }
  }

  /** What is no report is only worth telling where there is no report. */
  outcomes(): readonly ReportOutcome[] {
    if (this.#found.length > 0) return this.#found;
    if (this.#plainFailure !== undefined)
      return [{ outcome: 'failure', source: 'mail', ...this.#plainFailure }];
    return [
      this.#notAReport ?? { outcome: 'not-a-report', source: 'mail', detail: 'nothing in it is a report' },
    ];
  }

  async #read(
    document: Document,
    headers: MessageHeaders | undefined,
    container: Warnings,
  ): Promise<ReportOutcome> {
    const warnings = new Warnings(container.list());
    this.#budget.startDocument();
    try {
      if (document.kind === 'xml') return await this.#xml(document, warnings);
      if (document.kind === 'json') return await this.#json(document, headers, warnings);
      throw notAReport(await this.#oddity(document, warnings));
    } catch (refusal) {
      if (!(refusal instanceof RefusalError)) throw refusal;
      return { outcome: refusal.reason, source: document.source, detail: refusal.message };
    }
  }

  async #xml({ source, open }: Document, warnings: Warnings): Promise<DmarcReading> {
    const held: DmarcRecordRow[] = [];
    const content = new DmarcContent();
    const { report, counts } = await readDmarcReport(
      open(this.#budget, warnings),
      (rows) => {
        this.#budget.allowRows(rows.length);
        for (const row of rows) content.add(row);
        if (held.length < MAX_HELD_RECORDS) held.push(...rows);
      },
      { fileName: source, warnings, ...this.#options },
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

  async #json(
    { source, open }: Document,
    headers: MessageHeaders | undefined,
    warnings: Warnings,
  ): Promise<TlsReading> {
    const bytes = await collect(open(this.#budget, warnings), MAX_JSON_BYTES, 'the JSON');
    const domain = headers?.get('tls-report-domain');
    const read = readTlsReport(bytes, { domain, warnings, ...this.#options });
    return { outcome: 'tls', source, ...read, warnings: warnings.list() };
  }

  /** Says what a document is that is neither XML nor JSON. Yahoo packed the word "unused" for a while. */
  async #oddity({ kind, open }: Document, warnings: Warnings): Promise<string> {
    if (kind === 'outlook') return 'it is a message in the format of Outlook (.msg)';
    let start = '';
    // To its end, so that an archive that is damaged is told as such.
    for await (const chunk of open(this.#budget, warnings))
      start ||= Buffer.from(chunk.subarray(0, 100)).toString('latin1');
    if (start === '') return 'it is empty';
    const isPlaceholder = start.trim() === 'unused';
    return isPlaceholder
      ? 'the reporter packed the word "unused" in place of a report'
      : 'it is neither XML nor JSON';
  }
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
