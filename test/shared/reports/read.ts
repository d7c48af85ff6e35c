/** Shortcuts to read reports in tests. */
import { readFile } from '../../../shared/reports/read-mail.ts';
import type {
  DmarcReading,
  DmarcRecordRow,
  Refusal,
  ReportReading,
  TlsReading,
} from '../../../shared/reports/report.ts';

export type ReadReport = DmarcReading & { readonly rows: readonly DmarcRecordRow[] };

/** Reads a file with exactly one outcome. Throws otherwise. */
export async function readOne(
  bytes: Uint8Array | string,
  name = 'report',
  now?: Date,
): Promise<ReportReading> {
  const outcomes = await readFile(name, Buffer.from(bytes), { now });
  const [outcome] = outcomes;
  if (outcome === undefined || outcomes.length !== 1) throw new Error(`${outcomes.length} outcomes`);
  return outcome;
}

/** Reads a file with one aggregate report, including its rows. Throws otherwise. */
export async function readDmarc(bytes: Uint8Array | string, name?: string, now?: Date): Promise<ReadReport> {
  return withRows(await readOne(bytes, name, now));
}

export async function withRows(outcome: ReportReading | undefined): Promise<ReadReport> {
  if (outcome?.outcome !== 'dmarc') throw new Error(`no aggregate report: ${JSON.stringify(outcome)}`);
  const rows: DmarcRecordRow[] = [];
  await outcome.eachRecords((batch) => {
    rows.push(...batch);
  });
  return { ...outcome, rows };
}

export async function readTls(json: unknown): Promise<TlsReading> {
  const outcome = await readOne(typeof json === 'string' ? json : JSON.stringify(json));
  if (outcome.outcome !== 'tls') throw new Error(`no TLS report: ${JSON.stringify(outcome)}`);
  return outcome;
}

export async function readRefusal(bytes: Uint8Array | string): Promise<Refusal> {
  const outcome = await readOne(bytes);
  if (!('detail' in outcome)) throw new Error(`not refused: ${JSON.stringify(outcome)}`);
  return outcome;
}

export const idsOf = ({ warnings }: DmarcReading | TlsReading): string[] =>
  warnings.map(({ id }) => id).sort();
