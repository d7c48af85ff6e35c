import { readFile } from '../../shared/reports/read-mail.ts';
import type { DmarcCounts, DmarcRecordRow, DmarcReportHeader, Refusal } from '../../shared/reports/report.ts';
import type { ReportWarning } from '../../shared/reports/warnings.ts';

/** A DMARC aggregate report (RFC 9990, RFC 7489 appendix C). */
export interface DmarcReport {
  readonly outcome: 'dmarc';
  /** The files that it was found in, from the outside in: `report.zip/report.xml`. */
  readonly source: string;
  readonly report: DmarcReportHeader;
  readonly rows: readonly DmarcRecordRow[];
  readonly counts: DmarcCounts;
  /** How it deviates from the specifications. */
  readonly warnings: readonly ReportWarning[];
}

export interface ParseOptions {
  /** The name of the file, for values that the report does not state (RFC 9990 section 5.3). Default: `report.xml`. */
  readonly name?: string;
  /** When the report was received. Default: now. */
  readonly receivedAt?: Date;
}

/**
 * Reads DMARC aggregate reports from XML, from an archive (gzip, ZIP), or from a whole mail, within limits of size and time. Who
 * wrote a report is not known from its content: it can be forged.
 * @returns the reports, and for what is no DMARC report why not. Never throws.
 */
export async function parseDmarcReport(
  content: Uint8Array | string,
  { name = 'report.xml', receivedAt = new Date() }: ParseOptions = {},
): Promise<readonly (DmarcReport | Refusal)[]> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const found: (DmarcReport | Refusal)[] = [];
  for (const reading of await readFile(name, bytes, { now: receivedAt })) {
    if (reading.outcome === 'tls' || reading.outcome === 'failure') {
      const { source } = reading;
      const kind = reading.outcome === 'tls' ? 'a TLS report' : 'a failure report';
      found.push({ outcome: 'not-a-report', source, detail: `it is ${kind}, not a DMARC aggregate report` });
    } else if (reading.outcome === 'dmarc') {
      const rows: DmarcRecordRow[] = [];
      await reading.eachRecords((some) => void rows.push(...some));
      const { outcome, source, report, counts, warnings } = reading;
      found.push({ outcome, source, report, rows, counts, warnings });
    } else found.push(reading);
  }
  return found;
}
