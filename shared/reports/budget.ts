/** What reading a mail may cost: time, and decompression, counted per decompressed byte and per compressed piece. */

import { performance } from 'node:perf_hooks';
import { formatNumber } from '../protocol/quantity.ts';
import {
  MAX_PACKED_PIECES,
  MAX_READING_SECONDS,
  MAX_RECORDS,
  MAX_UNPACKED_BYTES,
  MAX_UNPACKED_BYTES_PER_MAIL,
  ROW_ALLOWANCE_BYTES,
} from './limits.ts';
import { type RefusalError, tooLarge } from './refusal.ts';

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

/** Milliseconds since an arbitrary start. */
type Stopwatch = () => number;

/** One instance for everything in a mail; it starts when it is created. */
export class ReadingTime {
  readonly #elapsed: Stopwatch;
  readonly #end: number;

  constructor(elapsed: Stopwatch = stopwatch(), milliseconds = MAX_READING_SECONDS * 1000) {
    this.#elapsed = elapsed;
    this.#end = elapsed() + milliseconds;
  }

  /** Throws a refusal when the time is up. Parsers call it often, because no timer fires during synchronous parsing. */
  check(): void {
    if (this.#elapsed() >= this.#end) throw takesTooLong();
  }

  /** Settles like `work`, or rejects with a refusal when the time is up, whether or not `work` ever settles. */
  async limit<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_resolve, reject) => {
      const wait = () => {
        const left = this.#end - this.#elapsed();
        if (left > 0) timer = setTimeout(wait, left);
        else reject(takesTooLong());
      };
      wait();
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Parsers look more often than the time of the thread is worth a system call. */
const STEP_MILLISECONDS = 10;

/** What this thread spent, to ten milliseconds. */
function stopwatch(): Stopwatch {
  let asked = Number.NEGATIVE_INFINITY;
  let spent = 0;
  return () => {
    const now = performance.now();
    if (now - asked >= STEP_MILLISECONDS) [asked, spent] = [now, spentByThisThread()];
    return spent;
  };
}

/**
 * The time that the thread computed or was idle, which is wall-clock time on a machine that gives it a processor. Time
 * during which the machine runs others does not count: a busy machine makes no mail larger. Before version 23.9, Node.js knows
 * only the time of all threads.
 */
function spentByThisThread(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000 + performance.eventLoopUtilization().idle;
}

const takesTooLong = (): RefusalError =>
  tooLarge(`reading the mail takes more than ${MAX_READING_SECONDS} seconds`);
