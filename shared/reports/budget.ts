/** The decompression budget, counted per decompressed byte and per compressed piece. */
import { formatNumber } from '../protocol/quantity.ts';
import {
  MAX_PACKED_PIECES,
  MAX_RECORDS,
  MAX_UNPACKED_BYTES,
  MAX_UNPACKED_BYTES_PER_MAIL,
  ROW_ALLOWANCE_BYTES,
} from './limits.ts';
import type { ReadingTime } from './reading-time.ts';
import { tooLarge } from './refusal.ts';

/** One instance for everything in a mail. */
export class UnpackBudget {
  #document = 0;
  #mail = 0;
  #rows = 0;
  #pieces = 0;
  readonly #time: ReadingTime | undefined;

  /** @param time Undefined when a document is read again: the first read was within the time limit. */
  constructor(time?: ReadingTime) {
    this.#time = time;
  }

  /** Throws a refusal when the time is up, as all methods below do. */
  checkTime(): void {
    this.#time?.check();
  }

  startDocument(): void {
    this.checkTime();
    this.#document = 0;
  }

  /** Counts one compressed piece. Throws a refusal if there are too many. */
  startPiece(): void {
    this.checkTime();
    if (++this.#pieces > MAX_PACKED_PIECES)
      throw tooLarge(
        `the attachments consist of more than ${formatNumber(MAX_PACKED_PIECES)} compressed pieces`,
      );
  }

  /** Counts decompressed bytes. Throws a refusal if there are too many. */
  spend(bytes: number): void {
    this.checkTime();
    this.#document += bytes;
    this.#mail += bytes;
    if (this.#document > MAX_UNPACKED_BYTES)
      throw tooLarge(`the decompressed file is larger than ${inMegabytes(MAX_UNPACKED_BYTES)}`);
    if (this.#mail > MAX_UNPACKED_BYTES_PER_MAIL) {
      throw tooLarge(
        `the decompressed attachments are larger than ${inMegabytes(MAX_UNPACKED_BYTES_PER_MAIL)}`,
      );
    }
  }

  /** Gives bytes back for rows that were read, up to the maximum number of rows of one report. */
  allowRows(rows: number): void {
    this.checkTime();
    const paying = Math.min(rows, MAX_RECORDS - this.#rows);
    this.#rows += paying;
    this.#document = Math.max(0, this.#document - paying * ROW_ALLOWANCE_BYTES);
    this.#mail = Math.max(0, this.#mail - paying * ROW_ALLOWANCE_BYTES);
  }
}

export const inMegabytes = (bytes: number): string => `${bytes / 2 ** 20} MB`;
