/** A thread that reads report files: see `reading-threads.ts`. */
import { parentPort } from 'node:worker_threads';
import { readFile } from '../../shared/reports/read-mail.ts';
import type { DmarcRecordRow, ReportReading } from '../../shared/reports/report.ts';
import type { FromReader, SentReading, ToReader } from './reading-threads.ts';

/** Reports with more records are not sent whole: the other thread reads them again, piece by piece. */
const MOST_RECORDS = 2_000;

parentPort?.on('message', async (files: readonly ToReader[]) => {
  const answers: FromReader[] = [];
  for (const { id, name, bytes, now } of files)
    answers.push({ id, readings: await sent(await readFile(name, bytes, { now })) });
  parentPort?.postMessage(answers);
});

/** Null if there are too many records. */
async function sent(readings: readonly ReportReading[]): Promise<readonly SentReading[] | null> {
  const records = readings.reduce((sum, one) => sum + (one.outcome === 'dmarc' ? one.counts.records : 0), 0);
  if (records > MOST_RECORDS) return null;
  return Promise.all(
    readings.map(async (reading) => {
      if (reading.outcome !== 'dmarc') return reading;
      const { eachRecords, ...others } = reading;
      const rows: DmarcRecordRow[] = [];
      await eachRecords((some) => {
        rows.push(...some);
      });
      return { ...others, rows };
    }),
  );
}
