/** What unpacking may still cost, counted as the bytes come out and for each piece that they come out of. */
import {
  MAX_PACKED_PIECES,
  MAX_RECORDS,
  MAX_UNPACKED_BYTES,
  MAX_UNPACKED_BYTES_PER_MAIL,
  ROW_ALLOWANCE_BYTES,
} from './limits.ts';
import type { ReadingTime } from './reading-time.ts';
import { tooLarge } from './refusal.ts';

/** One for all that a mail carries. */
export class UnpackBudget {
  #document = 0;
  #mail = 0;
  #rows = 0;
  #pieces = 0;
  readonly #time: ReadingTime | undefined;

  /** @param time Undefined where a document is read again, of which it is known that it does not take too long. */
  constructor(time?: ReadingTime) {
    this.#time = time;
  }

  /** Throws a refusal when the time is over, as everything below does. */
  checkTime(): void {
    this.#time?.check();
  }

  startDocument(): void {
    this.checkTime();
    this.#document = 0;
  }

  /** Counts what is packed by itself. Throws a refusal when there are too many of them. */
  startPiece(): void {
    this.checkTime();
    if (++this.#pieces > MAX_PACKED_PIECES)
      throw tooLarge(`the mail is packed in more than ${MAX_PACKED_PIECES.toLocaleString('en')} pieces`);
  }

  /** Throws a refusal when the bytes are too many. */
  spend(bytes: number): void {
    this.checkTime();
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
    this.checkTime();
    const paying = Math.min(rows, MAX_RECORDS - this.#rows);
    this.#rows += paying;
    this.#document = Math.max(0, this.#document - paying * ROW_ALLOWANCE_BYTES);
    this.#mail = Math.max(0, this.#mail - paying * ROW_ALLOWANCE_BYTES);
  }
}

export const inMegabytes = (bytes: number): string => `${bytes / 2 ** 20} MB`;
