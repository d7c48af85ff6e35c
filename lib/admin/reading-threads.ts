/** Reads report files in other threads, while this one stores what was read. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readFile } from '../../shared/reports/read-mail.ts';
import type { DmarcReading, DmarcRecordRow, ReportReading } from '../../shared/reports/report.ts';

/** A reading as it is sent between threads: with its rows instead of a function that passes them. */
export type SentReading =
  | Exclude<ReportReading, DmarcReading>
  | (Omit<DmarcReading, 'eachRecords'> & { readonly rows: readonly DmarcRecordRow[] });

export interface ToReader {
  readonly id: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly now: Date;
}

export interface FromReader {
  readonly id: number;
  readonly readings: readonly SentReading[] | null;
}

export class ReadingThreads {
  /** Each is started when its first file is read: a single file needs one. */
  readonly #workers: Worker[] = [];
  readonly #waiting = new Map<number, PromiseWithResolvers<FromReader['readings']>>();
  #sent = 0;

  /** The same as `readFile`. @throws Error if the thread ended. */
  async read(name: string, bytes: Uint8Array, now: Date): Promise<readonly ReportReading[]> {
    this.#sent += 1;
    const id = this.#sent;
    const waiting = Promise.withResolvers<FromReader['readings']>();
    this.#waiting.set(id, waiting);
    const turn = (id - 1) % availableParallelism();
    this.#workers[turn] ??= this.#start();
    this.#workers[turn].postMessage({ id, name, bytes, now } satisfies ToReader);
    const readings = await waiting.promise;
    return readings === null ? readFile(name, bytes, { now }) : readings.map(received);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reading-thread.ts', import.meta.url));
    worker.on('message', ({ id, readings }: FromReader) => {
      this.#waiting.get(id)?.resolve(readings);
      this.#waiting.delete(id);
    });
    worker.on('error', (error) => {
      for (const { reject } of this.#waiting.values()) reject(error);
    });
    return worker;
  }
}

function received(sent: SentReading): ReportReading {
  if (sent.outcome !== 'dmarc') return sent;
  const { rows, ...reading } = sent;
  return { ...reading, eachRecords: async (onRecords) => onRecords(rows) };
}
