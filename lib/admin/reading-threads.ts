/** Reads report files in other threads, while this one stores what was read. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readFile } from '../../shared/reports/read-mail.ts';
import type { DmarcReading, DmarcRecordRow, ReportReading } from '../../shared/reports/report.ts';

/** A reading as it is sent between threads: with its rows instead of a function that passes them. */
export type SentReading =
  | Exclude<ReportReading, DmarcReading>
  | (Omit<DmarcReading, 'eachRecords'> & { readonly rows: readonly DmarcRecordRow[] });

/** A file to read. */
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
  readonly #threads: Thread[] = [];
  #sent = 0;

  /** The same as `readFile`. @throws Error if the thread ended. */
  async read(name: string, bytes: Uint8Array, now: Date): Promise<readonly ReportReading[]> {
    this.#sent += 1;
    const id = this.#sent;
    const turn = (id - 1) % availableParallelism();
    this.#threads[turn] ??= new Thread();
    const readings = await this.#threads[turn].read({ id, name, bytes, now });
    return readings === null ? readFile(name, bytes, { now }) : readings.map(received);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}

class Thread {
  readonly #worker = new Worker(new URL('./reading-thread.ts', import.meta.url));
  readonly #waiting = new Map<number, PromiseWithResolvers<FromReader['readings']>>();
  /** What is asked for at the same time is sent in one message. */
  #asked: ToReader[] = [];

  constructor() {
    this.#worker.on('message', (answers: readonly FromReader[]) => {
      for (const { id, readings } of answers) {
        this.#waiting.get(id)?.resolve(readings);
        this.#waiting.delete(id);
      }
    });
    this.#worker.on('error', (error) => {
      for (const { reject } of this.#waiting.values()) reject(error);
    });
  }

  read(file: ToReader): Promise<FromReader['readings']> {
    if (this.#asked.push(file) === 1) queueMicrotask(() => this.#send());
    const waiting = Promise.withResolvers<FromReader['readings']>();
    this.#waiting.set(file.id, waiting);
    return waiting.promise;
  }

  #send(): void {
    this.#worker.postMessage(this.#asked);
    this.#asked = [];
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

function received(sent: SentReading): ReportReading {
  if (sent.outcome !== 'dmarc') return sent;
  const { rows, ...reading } = sent;
  return { ...reading, eachRecords: async (onRecords) => onRecords(rows) };
}
