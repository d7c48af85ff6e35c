/** The time limit for reading a mail. */
import { performance } from 'node:perf_hooks';
import { MAX_READING_SECONDS } from './limits.ts';
import { type RefusalError, tooLarge } from './refusal.ts';

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
