/** Collects the texts of an aggregate report by element, and converts them to rows. */

import { MAX_PARTS, MAX_RECORDS } from '../limits.ts';
import { tooLarge, unreadable } from '../refusal.ts';
import type { DmarcCounts, DmarcRecordRow } from '../report.ts';
import { kept } from '../values.ts';
import type { Warnings } from '../warnings.ts';
import { type RecordDraft, RowMaker } from './record.ts';
import { type Draft, type DraftName, emptyDraft, type Field, type Shape } from './shape.ts';

type Part = 'dkim' | 'spf' | 'reason';

export class DmarcGathering {
  readonly #warnings: Warnings;
  readonly #place: (field: string) => string;
  readonly #maker: RowMaker;
  readonly #drafts: { [Name in DraftName]: Draft<Name> } = {
    header: emptyDraft.header(),
    policy: emptyDraft.policy(),
    record: emptyDraft.record(),
    dkim: emptyDraft.dkim(),
    spf: emptyDraft.spf(),
    reason: emptyDraft.reason(),
    ignored: emptyDraft.ignored(),
  };
  #record: RecordDraft = emptyRecord();
  readonly #counts = { records: 0, skippedRecords: 0, messages: 0, passed: 0, failed: 0 };
  /** The rows of complete records. The caller removes them. */
  readonly rows: DmarcRecordRow[] = [];

  /** `place` returns the current path, for use before the name of a field. */
  constructor(warnings: Warnings, place: (field: string) => string) {
    this.#warnings = warnings;
    this.#place = place;
    this.#maker = new RowMaker(warnings);
  }

  get header(): Draft<'header'> {
    return this.#drafts.header;
  }

  get policy(): Draft<'policy'> {
    return this.#drafts.policy;
  }

  get counts(): DmarcCounts {
    return this.#counts;
  }

  /** The number of complete records, including skipped ones. */
  get finished(): number {
    return this.#counts.records + this.#counts.skippedRecords;
  }

  begin(what: NonNullable<Shape['begins']>): void {
    if (what === 'record') this.#beginRecord();
    else if (what === 'dkim') this.#drafts.dkim = emptyDraft.dkim();
    else if (what === 'spf') this.#drafts.spf = emptyDraft.spf();
    else this.#drafts.reason = emptyDraft.reason();
  }

  end(what: NonNullable<Shape['begins']>): void {
    if (what === 'record') this.#endRecord();
    else this.#endPart(what);
  }

  /**
   * Stores the text of an element. If the element is repeated, the first text counts; if the field is decisive, a
   * different text is an error.
   */
  set({ draft: draftName, name, isDecisive }: Field, text: string): void {
    if (draftName === 'ignored') return;
    const value = kept(text);
    if (value !== text) this.#warnings.add('value-cut', () => this.#place(name));
    const draft: Record<string, string> = this.#drafts[draftName];
    const first = draft[name] ?? '';
    if (first === '') {
      draft[name] = value;
      return;
    }
    if (isDecisive && first !== value) {
      throw unreadable(
        `there are two values, "${first.slice(0, 80)}" and "${value.slice(0, 80)}", ${this.#place(name)}`,
      );
    }
    this.#warnings.add('repeated-element', () => this.#place(name), value);
  }

  #beginRecord(): void {
    if (this.finished === MAX_RECORDS) {
      throw tooLarge(`the report has more than ${MAX_RECORDS.toLocaleString('en')} records`);
    }
    this.#record = emptyRecord();
    this.#drafts.record = this.#record.fields;
  }

  #endPart(part: Part): void {
    const { dkim, spf, reasons } = this.#record;
    if (dkim.length + spf.length + reasons.length === MAX_PARTS)
      throw tooLarge('a record has too many authentication results and reasons');
    if (part === 'dkim') dkim.push(this.#drafts.dkim);
    else if (part === 'spf') spf.push(this.#drafts.spf);
    else reasons.push(this.#drafts.reason);
  }

  #endRecord(): void {
    const counts = this.#counts;
    const row = this.#maker.row(this.#record, this.finished + 1);
    if (row === null) {
      counts.skippedRecords++;
      return;
    }
    counts.records++;
    counts.messages += row.count;
    if (row.dkim === 'pass' || row.spf === 'pass') counts.passed += row.count;
    else counts.failed += row.count;
    if (!Number.isSafeInteger(counts.messages)) throw unreadable('the sum of the counts is too large');
    this.rows.push(row);
  }
}

function emptyRecord(): RecordDraft {
  return { fields: emptyDraft.record(), reasons: [], dkim: [], spf: [] };
}
