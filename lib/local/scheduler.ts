/** Calls the handlers of schedule rows in their rhythm, one turn at a time, as EventBridge Scheduler does. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../shared/runtime/log.ts';
import { type FunctionRow, invoke } from './invoke.ts';

export interface Scheduler {
  /** Starts no more turns; ends when those under way are done. */
  stop(): Promise<void>;
}

export interface ScheduledRow extends FunctionRow {
  readonly everySeconds: number;
}

export function startScheduler(rows: readonly ScheduledRow[], log: Log): Scheduler {
  const running = new Map<ScheduledRow, Promise<void>>();
  const timers = rows.map((row) => setInterval(() => turn(row), row.everySeconds * 1000));
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };

  function turn(row: ScheduledRow): void {
    if (running.has(row)) return;
    const event = { id: randomUUID(), source: 'aws.scheduler', time: new Date().toISOString() };
    const run = invoke(row, event)
      .catch((error) => log.error('handler failed', { handler: row.handler, error }))
      .then(() => {
        running.delete(row);
      });
    running.set(row, run);
  }
}
