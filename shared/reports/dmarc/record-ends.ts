/**
 * What records have after their rows, to read it only once: most records of a report differ from others only in their rows.
 * A deviation belongs to one place, so that an end with one is read anew each time.
 */
import { copied } from '../values.ts';
import { type Element, record } from './elements.ts';

/** An end up to this length is remembered, for at most so many at a time. */
const MAX_END = 2_048;
const MAX_ENDS = 1_000;

/** The values that are directly in an element that ends. */
interface Values {
  readonly xml: string;
  readonly parent: Element;
}

interface RecordEnd {
  readonly values: readonly Values[];
  /** What the values add to the length of the record. */
  readonly length: number;
  /** The length of the text up to the end tag of the record, including that. */
  readonly textLength: number;
}

/** How far a report was read: the length of the values in the record, and the number of warnings. */
interface Progress {
  readonly length: number;
  readonly warnings: number;
}

export class RecordEnds {
  readonly #known = new Map<string, RecordEnd>();
  /** The end that is being read for the first time, and where that of its text is. */
  #read:
    | { readonly text: string; readonly end: number; readonly values: Values[]; readonly before: Progress }
    | undefined;

  /** The end of the record that starts at `at`, after a row, if a record before had the same. */
  start(text: string, at: number, before: Progress): RecordEnd | undefined {
    this.#read = undefined;
    const tag = text.indexOf(record.end, at);
    const end = tag + record.end.length;
    if (tag === -1 || end - at > MAX_END) return undefined;
    const own = text.slice(at, end);
    const known = this.#known.get(own);
    if (known === undefined) this.#read = { text: own, end, values: [], before };
    return known;
  }

  /** Takes values of the end that is being read. */
  add(xml: string, parent: Element): void {
    this.#read?.values.push({ xml, parent });
  }

  /** Remembers what was read if the end tag of the record is where the text has the first one, which can be in a comment. */
  finish(end: number, { length, warnings }: Progress): void {
    const read = this.#read;
    this.#read = undefined;
    if (read?.end !== end || read.before.warnings !== warnings) return;
    const { text, values, before } = read;
    if (this.#known.size === MAX_ENDS) this.#known.clear();
    this.#known.set(copied(text), { values, length: length - before.length, textLength: text.length });
  }
}
