/**
 * Parses DMARC aggregate reports (RFC 9990; RFC 7489 appendix C) as a stream. Common errors of real reporters are
 * tolerated, with a warning. Errors that could change the counts are not: a report is refused if it is truncated, if it
 * has two different values where one is counted, or if a counted element is in an unexpected place.
 */

import { RECORDS_PER_BATCH } from '../limits.ts';
import type { DmarcCounts, DmarcRecordRow, DmarcReportHeader, RecordConsumer } from '../report.ts';
import { XmlText } from '../xml/text.ts';
import { XmlTokenizer } from '../xml/tokenizer.ts';
import { type Circumstances, readHeader } from './header.ts';
import { DmarcReader } from './reader.ts';

export interface ReadDmarcReport {
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
  known: Circumstances,
): Promise<ReadDmarcReport> {
  const { warnings } = known;
  const text = new XmlText(warnings);
  const reader = new DmarcReader(warnings);
  const tokenizer = new XmlTokenizer(reader);
  for await (const chunk of chunks) {
    tokenizer.write(text.decode(chunk));
    for (const rows of batches(reader.rows)) await onRecords(rows);
  }
  tokenizer.write(text.end());
  reader.end(tokenizer.end());
  const report = readHeader(reader.header, reader.policy, known);
  for (const rows of batches(reader.rows, 1)) await onRecords(rows);
  return { report, counts: { ...reader.counts } };
}

/** Removes the collected rows from `rows` in batches, while there are at least `least`. */
function* batches(rows: DmarcRecordRow[], least = RECORDS_PER_BATCH): Iterable<readonly DmarcRecordRow[]> {
  while (rows.length >= least) yield rows.splice(0, RECORDS_PER_BATCH);
}
