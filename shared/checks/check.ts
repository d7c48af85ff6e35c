/** What every layer needs to know about a check beside how it is run: one row per check, in the folder of the check. */
import type * as z from 'zod/mini';
import type { RecordData, RecordType } from '../protocol/dns.ts';
import type { CheckOutcome } from './result-fields.ts';

/** The lookups whose records a check shows, by type. */
export type ShownLookups = {
  readonly [T in RecordType]: {
    readonly type: T;
    /** Whether the records at `name` are those of `domain`. */
    readonly isAt: (name: string, domain: string) => boolean;
    /** A record as `records` shows it. */
    readonly text: (record: RecordData[T]) => string;
  };
};

export interface Check<Result extends CheckOutcome, Schema = z.ZodMiniType<Result>> {
  /** As people call it. */
  readonly title: string;
  /** For the API. */
  readonly description: string;
  /** Of its result as stored. */
  readonly result: Schema;
  readonly lookup: ShownLookups[RecordType];
  /** The records that it found, as text that can be compared between check runs. */
  readonly records: (result: Result) => readonly string[];
  /** Its parts with findings of their own. */
  readonly parts?: (result: Result) => readonly CheckOutcome[];
  /** What it depends on beside its records, as text; undefined if that is unknown. */
  readonly context?: (result: Result) => readonly string[] | undefined;
}

/** The lookups of a check with a TXT record. */
export const textLookup = (isAt: ShownLookups['TXT']['isAt']): ShownLookups['TXT'] => ({
  type: 'TXT',
  isAt,
  text: (record) => record,
});

/** The record that a result shows may be one of several records, or one that is inherited instead of them. */
export const recordsTogether = (
  record: string | null,
  { records = [] }: { readonly records?: readonly string[] },
): readonly string[] => [...new Set(record === null ? records : [record, ...records])];
