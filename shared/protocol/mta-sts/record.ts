/** The TXT record of MTA-STS at `_mta-sts.<domain>` (RFC 8461 section 3.1). */
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, raiser } from '../findings/finding.ts';
import { mtaStsRules } from '../findings/mta-sts.ts';
import { type ParsedRecord, type PublishedRecord, readPublished } from '../published-record.ts';
import { hasVersion, readFields, resembles } from '../versioned-record.ts';

interface MtaStsRecord {
  readonly version: 'STSv1';
  /** Changes whenever the policy does; 1 to 32 letters and digits in a valid record; null if the record has none. */
  readonly id: string | null;
}

/** The text at the start of a record. */
const MTA_STS_VERSION = 'v=STSv1';

const raise = raiser(mtaStsRules);

/** Whether senders take a TXT record for the record of MTA-STS, valid or not. */
export const isMtaStsRecord = (text: string): boolean => hasVersion(text, MTA_STS_VERSION);

/** Whether a text was evidently meant to be one. */
export const resemblesMtaStsRecord = (text: string): boolean => resembles(text, /\bSTS[v\d]/i);

/** Finds and parses the record among the TXT records of its name. Several count as none (RFC 8461 section 3.1). */
export function readMtaStsRecords(texts: readonly string[]): PublishedRecord<MtaStsRecord> {
  return readPublished(texts, {
    isRecord: isMtaStsRecord,
    resembles: resemblesMtaStsRecord,
    parse: parseMtaStsRecord,
    several: (count) => raise('mta-sts-multiple-records', { count }),
  });
}

/**
 * Parses one TXT record by the ABNF. Senders ignore a record that violates it, and `findings` explains why. Of
 * duplicate fields, the first counts.
 */
export function parseMtaStsRecord(text: string): ParsedRecord<MtaStsRecord> {
  if (!isMtaStsRecord(text)) {
    const findings = [raise('mta-sts-record-ignored', { text: excerpt(text) })];
    return { record: null, valid: false, findings };
  }
  const { values, repeated, malformed } = readFields(text, MTA_STS_VERSION, 'id');
  const id = values.get('id');
  const record = { version: 'STSv1', id: id || null } as const;
  const invalid = (finding: Finding) => ({ record, valid: false, findings: [finding] });
  if (malformed !== undefined) {
    return invalid(raise('mta-sts-record-malformed', { text: excerpt(malformed) }));
  }
  if (id === undefined) return invalid(raise('mta-sts-id-missing'));
  if (!/^[A-Za-z0-9]{1,32}$/.test(id)) return invalid(raise('mta-sts-id-invalid', { text: excerpt(id) }));
  const findings: Finding[] = [];
  if (repeated.length > 0) findings.push(raise('mta-sts-fields-repeated', { names: excerpts(repeated) }));
  return { record, valid: true, findings };
}
