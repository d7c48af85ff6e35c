/** The TXT record of MTA-STS at `_mta-sts.<domain>` (RFC 8461 section 3.1). */
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, raiser } from '../findings/finding.ts';
import { mtaStsRules } from '../findings/mta-sts.ts';
import { candidates, extensionsOf, hasVersion, type RecordField, readFields } from '../versioned-record.ts';

export interface MtaStsRecord {
  readonly version: 'STSv1';
  /** Changes whenever the policy does; 1 to 32 letters and digits in a valid record; null if the record has none. */
  readonly id: string | null;
  /** Fields that this version does not define, which senders ignore. */
  readonly extensions: readonly RecordField[];
}

/** The text at the start of a record. */
const MTA_STS_VERSION = 'v=STSv1';

const raise = raiser(mtaStsRules);

export interface ParsedMtaStsRecord {
  /** The readable parts of the record, valid or not; null if not even the version is valid. */
  readonly record: MtaStsRecord | null;
  /** Whether senders accept it. */
  readonly valid: boolean;
  readonly findings: readonly Finding[];
}

export interface PublishedMtaStsRecord extends ParsedMtaStsRecord {
  /** The record as published; the first of several; null if there is none. */
  readonly text: string | null;
  /** All records, if the name has several, of which then none counts. */
  readonly records?: readonly string[];
}

/** Finds and parses the record among the TXT records of its name. Several count as none (RFC 8461 section 3.1). */
export function readMtaStsRecords(texts: readonly string[]): PublishedMtaStsRecord {
  const [text, ...others] = candidates(texts, MTA_STS_VERSION);
  if (text === undefined) return { text: null, record: null, valid: false, findings: [] };
  if (others.length > 0) {
    const findings = [raise('mta-sts-multiple-records', { count: others.length + 1 })];
    return { text, record: null, valid: false, findings, records: [text, ...others] };
  }
  return { text, ...parseMtaStsRecord(text) };
}

/**
 * Parses one TXT record by the ABNF. Senders ignore a record that violates it, and `findings` explains why. Of
 * duplicate fields, the first counts.
 */
export function parseMtaStsRecord(text: string): ParsedMtaStsRecord {
  if (!hasVersion(text, MTA_STS_VERSION)) {
    const findings = [raise('mta-sts-record-ignored', { text: excerpt(text) })];
    return { record: null, valid: false, findings };
  }
  const { values, repeated, malformed } = readFields(text, MTA_STS_VERSION, 'id');
  const id = values.get('id');
  const record = { version: 'STSv1', id: id || null, extensions: extensionsOf(values, ['id']) } as const;
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

/** The record as one line, which parses to the same record. */
export function printMtaStsRecord({ id, extensions }: MtaStsRecord): string {
  return [MTA_STS_VERSION, `id=${id ?? ''}`, ...extensions.map(({ name, value }) => `${name}=${value}`)].join(
    '; ',
  );
}
