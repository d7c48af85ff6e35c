/** What every layer needs to know about a check beside how it is run: one row per check, in the folder of the check. */
import type { CheckOutcome } from './result-fields.ts';

export interface Check<Result extends CheckOutcome> {
  /** As people call it. */
  readonly title: string;
  /** For the API. */
  readonly description: string;
  /** The records that it found, as text that can be compared between check runs. */
  readonly records: (result: Result) => readonly string[];
  /** Its parts with findings of their own. */
  readonly parts?: (result: Result) => readonly CheckOutcome[];
  /** What it depends on beside its records, as text; undefined if that is unknown. */
  readonly context?: (result: Result) => readonly string[] | undefined;
}

/** The record that a result shows may be one of several records, or one that is inherited instead of them. */
export const recordsTogether = (
  record: string | null,
  { records = [] }: { readonly records?: readonly string[] },
): readonly string[] => [...new Set(record === null ? records : [record, ...records])];
