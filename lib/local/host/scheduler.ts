/** Invokes functions at their intervals, as EventBridge Scheduler does. Runs of the same schedule do not overlap. */
import type { Log } from '../../../shared/runtime/logging/log.ts';
import type { ScheduledFunction } from './program.ts';

export interface Scheduler {
  /** The functions whose last run did not start or end in time. */
  overdue(): readonly string[];
  /** Starts no more runs. Resolves when the current ones are done. */
  stop(): Promise<void>;
}

/** A function is overdue after this many intervals and this time, which is longer than any run. */
const MISSED = 2;
const GRACE_MILLISECONDS = 900_000;

/** @param isPaused While this is true, no run starts. */
export function startScheduler(
  rows: readonly ScheduledFunction[],
  log: Log,
  isPaused: () => boolean = () => false,
): Scheduler {
  const running = new Map<ScheduledFunction, Promise<void>>();
  const lastEnds = new Map(rows.map((row) => [row, performance.now()]));
  const timers = rows.map((row) => setInterval(() => start(row), row.everySeconds * 1000));
  return {
    overdue: () =>
      [...lastEnds].flatMap(([{ everySeconds, handler }, end]) =>
        performance.now() - end > MISSED * everySeconds * 1000 + GRACE_MILLISECONDS ? [handler.name] : [],
      ),
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };

  function start(row: ScheduledFunction): void {
    if (running.has(row) || isPaused()) return;
    const run = row.handler
      .invoke(row.event)
      .catch((error) => log.error('handler failed', { function: row.handler.name, error }))
      .then(() => {
        running.delete(row);
        lastEnds.set(row, performance.now());
      });
    running.set(row, run);
  }
}
