/**
 * DMARC aggregate reports (RFC 9990; RFC 7489 appendix C), read as they arrive. Tolerant in what it reads: what real
 * reporters get wrong is read past, with a warning. Strict in what it counts: a report that is cut off, that says two
 * things where one counts, or in which something that counts stands where it is not looked for, is refused.
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
 * Reads a report from the bytes of its XML. Rows are handed over in batches as they come, and are only worth something
 * when the reader returns: what is wrong may stand at the very end. Throws a RefusalError, and what `chunks` and
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

/** Takes away the rows that have gathered, as soon as there are `least` of them. */
function* batches(rows: DmarcRecordRow[], least = RECORDS_PER_BATCH): Iterable<readonly DmarcRecordRow[]> {
  while (rows.length >= least) yield rows.splice(0, RECORDS_PER_BATCH);
}
