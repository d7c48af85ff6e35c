/** TXT records of which a name may publish one: MTA-STS, TLS-RPT and BIMI. */
import type { Finding } from './findings/finding.ts';

export interface ParsedRecord<Contents> {
  /** The readable parts of the record, valid or not; null if not even the version is valid. */
  readonly record: Contents | null;
  /** Whether senders and receivers accept it. */
  readonly valid: boolean;
  readonly findings: readonly Finding[];
}

export interface PublishedRecord<Contents> extends ParsedRecord<Contents> {
  /** The record as published; the first of several; null if there is none. */
  readonly text: string | null;
  /** All records, if the name has several, of which then none counts. */
  readonly records?: readonly string[];
}

interface RecordKind<Contents> {
  /** Whether a text is a record of this kind; others are discarded before records are counted. */
  readonly isRecord: (text: string) => boolean;
  /** Whether a text was evidently meant to be one. */
  readonly resembles: (text: string) => boolean;
  readonly parse: (text: string) => ParsedRecord<Contents>;
  /** The finding about a name with several records. */
  readonly several: (count: number) => Finding;
}

/**
 * Finds and parses the record of a kind among the TXT records of its name. If there is none, the first text that was
 * meant to be one is parsed, so that its findings say what is wrong. Several records count as none.
 */
export function readPublished<Contents>(
  texts: readonly string[],
  { isRecord, resembles, parse, several }: RecordKind<Contents>,
): PublishedRecord<Contents> {
  const counted = texts.filter(isRecord);
  const [text, ...others] = counted.length > 0 ? counted : texts.filter(resembles).slice(0, 1);
  if (text === undefined) return { text: null, record: null, valid: false, findings: [] };
  if (others.length === 0) return { text, ...parse(text) };
  return {
    text,
    record: null,
    valid: false,
    findings: [several(counted.length)],
    records: [text, ...others],
  };
}
