/** Checks the files of a data folder for damage, in a thread beside the service. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Problem } from './data-files.ts';

type DataState = { readonly status: 'running' | 'ok' } | ({ readonly status: 'failing' } & Problem);

export interface DataCheck {
  state(): DataState;
  /** The first damage that the check finds within this time; undefined if it finds none or has not ended. */
  within(milliseconds: number): Promise<Problem | undefined>;
  /** Resolves to the damage that the whole check finds first, if any. */
  readonly ended: Promise<Problem | undefined>;
  stop(): Promise<void>;
}

export function startDataCheck(path: string): DataCheck {
  let state: DataState = { status: 'running' };
  const worker = new Worker(new URL('./data-check-thread.ts', import.meta.url), { workerData: path });
  worker.unref();
  worker.on('message', (problem: Problem) => {
    if (state.status === 'running') state = { status: 'failing', ...problem };
  });
  const ended = once(worker, 'exit').then(
    () => {
      if (state.status === 'running') state = { status: 'ok' };
      return damage();
    },
    (error: Error) => {
      state = { status: 'failing', file: 'the check of the data', problem: `ended: ${error.message}` };
      return undefined;
    },
  );
  const damage = (): Problem | undefined => (state.status === 'failing' ? state : undefined);
  return {
    state: () => state,
    ended,
    async within(milliseconds) {
      const done = new AbortController();
      const time = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => undefined);
      await Promise.race([ended, time]);
      done.abort();
      return damage();
    },
    async stop() {
      await worker.terminate();
    },
  };
}
