/** Calls functions in their rhythm, one turn at a time, as EventBridge Scheduler does. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../shared/runtime/log.ts';
import type { ScheduledFunction } from './program.ts';

export interface Scheduler {
  /** Starts no more turns; ends when those under way are done. */
  stop(): Promise<void>;
}

export function startScheduler(rows: readonly ScheduledFunction[], log: Log): Scheduler {
  const running = new Map<ScheduledFunction, Promise<void>>();
  const timers = rows.map((row) => setInterval(() => turn(row), row.everySeconds * 1000));
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };

  function turn(row: ScheduledFunction): void {
    if (running.has(row)) return;
    const event = { id: randomUUID(), source: 'aws.scheduler', time: new Date().toISOString() };
    const run = row.called
      .invoke(event)
      .catch((error) => log.error('handler failed', { function: row.called.name, error }))
      .then(() => {
        running.delete(row);
      });
    running.set(row, run);
  }
}
