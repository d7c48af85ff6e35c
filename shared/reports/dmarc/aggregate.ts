/**
 * Parses DMARC aggregate reports (RFC 9990; RFC 7489 appendix C) as a stream. Common errors of real reporters are
 * tolerated, with a warning. Errors that could change the counts are not: a report is refused if it is truncated, if it
 * has two different values where one is counted, or if a counted element is in an unexpected place.
 */

import { RECORDS_PER_BATCH } from '../limits.ts';
import { unreadable } from '../refusal.ts';
import type { DmarcCounts, DmarcRecordRow, DmarcReportHeader, RecordConsumer } from '../report.ts';
import { type ReportContext, readHeader } from './header.ts';
import { RowMaker } from './record.ts';
import { type RecordTexts, ReportTexts } from './texts.ts';
import { WellFormedReport } from './well-formed.ts';
import { XmlText } from './xml-text.ts';

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
