/** Invokes functions at their intervals, as EventBridge Scheduler does. Runs of the same schedule do not overlap. */
import type { Log } from '../../shared/runtime/logging/log.ts';
import type { ScheduledFunction } from './program.ts';

export interface Scheduler {
  /** Starts no more runs. Resolves when the current ones are done. */
  stop(): Promise<void>;
}

export function startScheduler(rows: readonly ScheduledFunction[], log: Log): Scheduler {
  const running = new Map<ScheduledFunction, Promise<void>>();
  const timers = rows.map((row) => setInterval(() => start(row), row.everySeconds * 1000));
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };

  function start(row: ScheduledFunction): void {
    if (running.has(row)) return;
    const run = row.handler
      .invoke(row.event)
      .catch((error) => log.error('handler failed', { function: row.handler.name, error }))
      .then(() => {
        running.delete(row);
      });
    running.set(row, run);
  }
}
