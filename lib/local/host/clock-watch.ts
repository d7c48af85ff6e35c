/** Notices when the clock of the machine is set, or when the machine slept: its time and its uptime then disagree. */
import type { Log } from '../../../shared/runtime/logging/log.ts';

const SAMPLE_MILLISECONDS = 1000;

/** Smaller steps, such as those of NTP, do no harm: every time limit allows for them. */
const JUMP_MILLISECONDS = 60_000;

export interface Clocks {
  /** The time, in milliseconds since 1970. */
  time(): number;
  /** Milliseconds that only ever grow. */
  uptime(): number;
}

const systemClocks: Clocks = { time: () => Date.now(), uptime: () => performance.now() };

/** Logs each jump of the clock. `onSetBack` is called with the milliseconds by which it was set back. */
export function watchClock(
  log: Log,
  onSetBack: (milliseconds: number) => void,
  { time, uptime }: Clocks = systemClocks,
): { stop(): void } {
  let offset = time() - uptime();
  const timer = setInterval(() => {
    const now = time() - uptime();
    const jump = now - offset;
    // A slow drift is no jump, so the offset follows it.
    offset = now;
    if (Math.abs(jump) < JUMP_MILLISECONDS) return;
    log.warn('the clock jumped', { seconds: Math.round(jump / 1000) });
    if (jump < 0) onSetBack(-jump);
  }, SAMPLE_MILLISECONDS);
  return { stop: () => clearInterval(timer) };
}
