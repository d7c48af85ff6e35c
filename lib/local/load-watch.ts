/**
 * Notices when the process is too busy: when the delay of its event loops stays above a limit. Public tools are then refused,
 * before mail, the API and the console suffer.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log } from '../../shared/runtime/logging/log.ts';

export interface LoadLimits {
  readonly delayMilliseconds: number;
  /** How long the delay is above the limit before the process counts as too busy. */
  readonly forMilliseconds: number;
  readonly sampleMilliseconds: number;
}

export const LOAD_LIMITS: LoadLimits = {
  delayMilliseconds: 250,
  forMilliseconds: 10_000,
  sampleMilliseconds: 1000,
};

export interface LoadWatch {
  isTooBusy(): boolean;
  stop(): void;
}

/** @param delayOfThreads The delay of the event loops of threads in milliseconds. */
export function watchLoad(
  delayOfThreads: () => number,
  log: Log,
  { delayMilliseconds, forMilliseconds, sampleMilliseconds }: LoadLimits = LOAD_LIMITS,
): LoadWatch {
  const histogram = monitorEventLoopDelay();
  histogram.enable();
  let lastQuiet = performance.now();
  let isTooBusy = false;
  const timer = setInterval(() => {
    // The mean is not a number as long as nothing was measured.
    const delay = Math.max(histogram.mean / 1e6 || 0, delayOfThreads());
    histogram.reset();
    const now = performance.now();
    if (delay <= delayMilliseconds) lastQuiet = now;
    const wasTooBusy = isTooBusy;
    isTooBusy = now - lastQuiet >= forMilliseconds;
    if (isTooBusy !== wasTooBusy)
      log.warn(isTooBusy ? 'too busy for public tools' : 'public tools again', {
        delayMilliseconds: Math.round(delay),
      });
  }, sampleMilliseconds);
  return {
    isTooBusy: () => isTooBusy,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
