/** The entry point: finds the documents in a raw message or a file, and parses each of them. */
import { ReadingTime, UnpackBudget } from './budget.ts';
import { readDmarcReport } from './dmarc/aggregate.ts';
import { collect, type Document, documents, mayHoldReport, type Opener } from './documents.ts';
import { isPlainFailure } from './failure-report.ts';
import { DmarcIdentityHasher } from './identity.ts';
import {
  MAX_ATTACHMENTS,
  MAX_DOCUMENTS,
  MAX_HELD_RECORDS,
  MAX_JSON_BYTES,
  RECORDS_PER_BATCH,
} from './limits.ts';
import {
  type ByteSource,
  type MessageHeaders,
  type MessagePart,
  messageParts,
  messageStart,
  PartBudget,
} from './message.ts';
import { notAReport, RefusalError, tooLarge } from './refusal.ts';
import type {
  DmarcReading,
  DmarcRecordRow,
  FailureReading,
  RecordConsumer,
  Refusal,
  ReportReading,
  TlsReading,
} from './report.ts';
import { readTlsReport } from './tls/tls-rpt.ts';
import { Warnings } from './warnings.ts';

interface ReadOptions {
  /** When the mail or file was received: periods are checked against it. */
  readonly now?: Date;
  /** The remaining time of the mail; by default all of it. */
  readonly time?: ReadingTime;
}

/**
 * Reads a raw message. Returns at least one outcome: reports in message order, refusals of failed ones, or a single
 * `not-a-report`. Throws only what `source` throws.
 */
export async function readMail(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<readonly ReportReading[]> {
  const reading = new Reading(options);
  await reading.message(source);
  return reading.outcomes();
}

/**
 * Reads a report file, or a message in a file. The name is used only for values that the report does not state. Never
 * throws.
 */
export async function readFile(
  name: string,
  bytes: Uint8Array,
  options: ReadOptions = {},
): Promise<readonly ReportReading[]> {
  const start = messageStart(bytes);
  if (start !== undefined) return readMail(bytes.subarray(start), options);
  const reading = new Reading(options);
  await reading.file(name, bytes);
  return reading.outcomes();
}

/** A part, and whether it has a file name, unlike the text of the mail. */
type Attachment = Pick<MessagePart, 'bytes'> &
  Partial<Pick<MessagePart, 'headers'>> & { readonly name: string; readonly isNamed: boolean };

class Reading {
  readonly #now: Date | undefined;
  readonly #time: ReadingTime;
  readonly #budget: UnpackBudget;
  readonly #parts: PartBudget;
  #attachments = 0;
  #documents = 0;
  readonly #found: ReportReading[] = [];
  #notAReport: Refusal | undefined;
  #failure: FailureReading | undefined;
  #isPlainFailure = false;

  constructor({ now, time = new ReadingTime() }: ReadOptions) {
    this.#now = now;
    this.#time = time;
    this.#budget = new UnpackBudget(time);
    this.#parts = new PartBudget(time);
  }

  message(source: ByteSource): Promise<void> {
    return this.#inTime('mail', () => this.#each(messageParts(source, this.#parts)));
  }

  file(name: string, bytes: Uint8Array): Promise<void> {
    return this.#inTime('file', () => this.#attachment({ name, bytes, isNamed: true }));
  }

  /** Ends with a refusal when the time is up, even if `work` never settles. */
  #inTime(source: string, work: () => Promise<void>): Promise<void> {
    return this.#unlessRefused(source, () => this.#time.limit(work()));
  }

  /** `not-a-report` is returned only if the mail contains no report. */
  outcomes(): readonly ReportReading[] {
    if (this.#failure !== undefined) return [this.#failure];
    // A copy, because abandoned work may still add to the list.
    if (this.#found.length > 0) return [...this.#found];
    if (this.#isPlainFailure) return [{ outcome: 'failure', source: 'mail' }];
    return [
      this.#notAReport ?? { outcome: 'not-a-report', source: 'mail', detail: 'the mail contains no report' },
    ];
  }

  /** `isFile`: `not-a-report` is recorded only for files, not for the text of the mail. */
  async #unlessRefused(source: string, work: () => Promise<void>, isFile = true): Promise<void> {
    try {
      await work();
    } catch (refusal) {
      if (!(refusal instanceof RefusalError)) throw refusal;
      this.#take({ outcome: refusal.reason, source, detail: refusal.message }, isFile);
    }
  }

  #take(refusal: Refusal, isFile: boolean): void {
    if (refusal.outcome !== 'not-a-report') this.#found.push(refusal);
    else if (isFile) this.#notAReport ??= refusal;
  }

  async #each(parts: AsyncIterable<MessagePart>): Promise<void> {
    for await (const part of parts) {
      const { type, bytes, fileName } = part;
      if (type === 'message/feedback-report') {
        this.#failure = { outcome: 'failure', source: type };
        return;
      }
      this.#note(part);
      if (bytes.length === 0) continue;
      if (mayHoldReport(bytes) && ++this.#attachments > MAX_ATTACHMENTS) {
        throw tooLarge(`the mail has more than ${MAX_ATTACHMENTS} attachments; the rest was ignored`);
      }
      await this.#attachment({ ...part, name: fileName || type, isNamed: fileName !== '' });
    }
  }

  /** Remembers that the mail is a plain-text failure report, in case nothing else is found. */
  #note({ type, bytes, headers }: MessagePart): void {
    const text = type === '' || type.startsWith('text/') ? bytes : new Uint8Array();
    this.#isPlainFailure ||= isPlainFailure(headers, text);
  }

  async #attachment(attachment: Attachment): Promise<void> {
    const { name, bytes, isNamed } = attachment;
    const warnings = new Warnings();
    const before = this.#found.length;
    for await (const found of documents(name, bytes, this.#budget, warnings)) {
      if (++this.#documents > MAX_DOCUMENTS)
        throw tooLarge(`the attachments contain more than ${MAX_DOCUMENTS} files; the rest was ignored`);
      if (found.outcome === 'leftover') {
        // Office documents and image collections are archives too; too many files do not make them failed reports.
        if (this.#found.length > before) this.#found.push({ ...found, outcome: 'too-large' });
        else this.#notAReport = { ...found, outcome: 'not-a-report' };
      } else if (found.outcome !== 'document') this.#take(found, isNamed);
      // The text of the mail is no document.
      else if (isNamed || found.isPacked || found.kind !== 'other')
        await this.#document(found, attachment, new Warnings(warnings.list()));
    }
  }

  #document(document: Document, { headers, isNamed }: Attachment, warnings: Warnings): Promise<void> {
    const read = async (): Promise<void> => {
      const context = { budget: this.#budget, warnings, headers, now: this.#now };
      this.#found.push(await readDocument(document, context));
    };
    return this.#unlessRefused(document.source, read, isNamed || document.isPacked);
  }
}

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
async function readDocument(
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
