/**
 * Notices when the process is too busy: when its event loops are late again and again. Public tools are then refused,
 * before mail, the API and the console suffer.
 */
import type { Log } from '../../../shared/runtime/logging/log.ts';

interface LoadLimits {
  readonly delayMilliseconds: number;
  /** How long delays are above the limit, again and again, before the process counts as too busy. */
  readonly forMilliseconds: number;
  /** How long there is no such delay before the process counts as quiet again: a loop can be blocked most of the time. */
  readonly quietMilliseconds: number;
}

const LOAD_LIMITS: LoadLimits = {
  delayMilliseconds: 250,
  forMilliseconds: 10_000,
  quietMilliseconds: 1000,
};

const TICK_MILLISECONDS = 50;

export interface LoadWatch {
  isTooBusy(): boolean;
  stop(): void;
}

/** @param delayOfThreads The delay of the event loops of threads in milliseconds. */
export function watchLoad(
  delayOfThreads: () => number,
  log: Log,
  { delayMilliseconds, forMilliseconds, quietMilliseconds }: LoadLimits = LOAD_LIMITS,
): LoadWatch {
  let lastTick = performance.now();
  let lastLate = Number.NEGATIVE_INFINITY;
  let lastQuiet = lastTick;
  let isTooBusy = false;
  const timer = setInterval(() => {
    const now = performance.now();
    const delay = Math.max(now - lastTick - TICK_MILLISECONDS, delayOfThreads());
    lastTick = now;
    if (delay > delayMilliseconds) lastLate = now;
    else if (now - lastLate >= quietMilliseconds) lastQuiet = now;
    const wasTooBusy = isTooBusy;
    isTooBusy = now - lastQuiet >= forMilliseconds;
    if (isTooBusy !== wasTooBusy)
      log.warn(isTooBusy ? 'too busy for public tools' : 'public tools again', {
        delayMilliseconds: Math.round(delay),
      });
  }, TICK_MILLISECONDS);
  return {
    isTooBusy: () => isTooBusy,
    stop: () => clearInterval(timer),
  };
}
