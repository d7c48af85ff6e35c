/** What unpacking may still cost, counted as the bytes come out. */
import {
  MAX_RECORDS,
  MAX_UNPACKED_BYTES,
  MAX_UNPACKED_BYTES_PER_MAIL,
  ROW_ALLOWANCE_BYTES,
} from './limits.ts';
import { tooLarge } from './refusal.ts';

/** One for all that a mail carries. */
export class UnpackBudget {
  #document = 0;
  #mail = 0;
  #rows = 0;

  startDocument(): void {
    this.#document = 0;
  }

  /** Throws a refusal when the bytes are too many. */
  spend(bytes: number): void {
    this.#document += bytes;
    this.#mail += bytes;
    if (this.#document > MAX_UNPACKED_BYTES)
      throw tooLarge(`unpacked it is larger than ${inMegabytes(MAX_UNPACKED_BYTES)}`);
    if (this.#mail > MAX_UNPACKED_BYTES_PER_MAIL) {
      throw tooLarge(`unpacked the mail is larger than ${inMegabytes(MAX_UNPACKED_BYTES_PER_MAIL)}`);
    }
  }

  /** Rows that were read pay for bytes, as many as one report may have. */
  allowRows(rows: number): void {
    const paying = Math.min(rows, MAX_RECORDS - this.#rows);
    this.#rows += paying;
    this.#document = Math.max(0, this.#document - paying * ROW_ALLOWANCE_BYTES);
    this.#mail = Math.max(0, this.#mail - paying * ROW_ALLOWANCE_BYTES);
  }
}

export const inMegabytes = (bytes: number): string => `${bytes / 2 ** 20} MB`;
