/**
 * Parses DMARC aggregate reports (RFC 9990; RFC 7489 appendix C) as a stream. Common errors of real reporters are
 * tolerated, with a warning. Errors that could change the counts are not: a report is refused if it is truncated, if it
 * has two different values where one is counted, or if a counted element is in an unexpected place.
 */

import { TextDecoder } from 'node:util';
import { detectUtf16 } from '../byte-order.ts';
import { RECORDS_PER_BATCH } from '../limits.ts';
import { unreadable } from '../refusal.ts';
import type { DmarcCounts, DmarcRecordRow, DmarcReportHeader, RecordConsumer } from '../report.ts';
import type { Warnings } from '../warnings.ts';
import { type ReportContext, readHeader } from './header.ts';
import { RowMaker } from './record.ts';
import { type RecordTexts, ReportTexts } from './texts.ts';
import { WellFormedReport } from './well-formed.ts';

interface ReadDmarcReport {
  readonly report: DmarcReportHeader;
  readonly counts: DmarcCounts;
}

/**
 * Parses a report from the bytes of its XML. Passes rows to `onRecords` in batches while it parses. The rows are valid
 * only if the function returns, because an error can be at the very end. Throws a RefusalError, and what `chunks` and
 * `onRecords` throw.
 */
export async function readDmarcReport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onRecords: RecordConsumer,
  context: ReportContext,
): Promise<ReadDmarcReport> {
  const { warnings } = context;
  const decoder = new XmlText(warnings);
  const maker = new RowMaker(warnings);
  const counts = { records: 0, skippedRecords: 0, messages: 0, passed: 0, failed: 0 };
  const rows: DmarcRecordRow[] = [];
  const takeRecord = (record: RecordTexts): void => {
    const row = maker.row(record, counts.records + counts.skippedRecords + 1);
    if (row === null) {
      counts.skippedRecords++;
      return;
    }
    rows.push(row);
    counts.records++;
    counts.messages += row.count;
    if (row.dkim === 'pass' || row.spf === 'pass') counts.passed += row.count;
    else counts.failed += row.count;
    if (!Number.isSafeInteger(counts.messages)) throw unreadable('the sum of the counts is too large');
  };
  const texts: ReportTexts = new ReportTexts(warnings, () => xml.place);
  let root = '';
  const xml = new WellFormedReport(warnings, {
    onRoot: (tag) => {
      root = tag;
    },
    onValues: (values, parent) => texts.add(values, parent),
    onRecord: () => takeRecord(texts.endRecord()),
  });
  for await (const chunk of chunks) {
    xml.write(decoder.decode(chunk));
    for (const batch of batches(rows)) await onRecords(batch);
  }
  xml.write(decoder.end());
  xml.end();
  const report = readHeader(texts.header, { ...context, root });
  for (const batch of batches(rows, 1)) await onRecords(batch);
  return { report, counts };
}

/** Removes the collected rows from `rows` in batches, while there are at least `least`. */
function* batches(rows: DmarcRecordRow[], least = RECORDS_PER_BATCH): Iterable<readonly DmarcRecordRow[]> {
  while (rows.length >= least) yield rows.splice(0, RECORDS_PER_BATCH);
}

/** The maximum length of an XML declaration. */
const DECLARATION_BYTES = 200;

/**
 * Decodes chunks of one document (XML 1.0 section 4.3.3 and appendix F). Invalid bytes become U+FFFD with a warning; a byte
 * order mark is dropped.
 */
class XmlText {
  readonly #warnings: Warnings;
  #decoder: TextDecoder | undefined;

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
  }

  decode(chunk: Uint8Array): string {
    this.#decoder ??= this.#decoderFor(chunk);
    return this.#checked(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string {
    return this.#checked(this.#decoder?.decode() ?? '');
  }

  #checked(text: string): string {
    if (text.includes('\ufffd')) this.#warnings.add('not-utf-8');
    return text;
  }

  #decoderFor(chunk: Uint8Array): TextDecoder {
    const label = detectUtf16(chunk) ?? declaredEncoding(chunk) ?? 'utf-8';
    try {
      const decoder = new TextDecoder(label);
      if (decoder.encoding !== 'utf-8') this.#warnings.add('other-encoding', undefined, decoder.encoding);
      return decoder;
    } catch {
      this.#warnings.add('other-encoding', undefined, label);
      return new TextDecoder('utf-8');
    }
  }
}

/** A declaration that is readable byte by byte is not UTF-16, whatever it states. */
function declaredEncoding(chunk: Uint8Array): string | undefined {
  const start = Buffer.from(chunk.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const label = /^[^<]{0,8}<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})["']/
    .exec(start)?.[1]
    ?.toLowerCase();
  return label?.startsWith('utf-16') || label === 'us-ascii' ? 'utf-8' : label;
}
