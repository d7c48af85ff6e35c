/**
 * Gives lookups their turn, so that zones whose servers are silent don't keep others waiting. A lookup has a place only as long
 * as an ordinary answer takes; then it goes on beside the places. Zones take turns, and each has a limit of its own. When too
 * many lookups go on beside the places, the longest one ends.
 */
import { fairQueue, groupCounts } from './fair-queue.ts';

interface TurnLimits {
  /** Lookups that may have been started a moment ago. */
  readonly places: number;
  readonly placeMilliseconds: number;
  /** Lookups without an answer, of one zone and in all. A lookup has a socket, and Lambda allows 1,024 of them. */
  readonly openPerZone: number;
  readonly open: number;
}

export const TURN_LIMITS: TurnLimits = {
  places: 200,
  placeMilliseconds: 500,
  openPerZone: 40,
  open: 600,
};

/** `ended` aborts when the lookup is to end, because others wait. */
type Work<T> = (ended: AbortSignal) => Promise<T>;

export function lookupTurns({ places, placeMilliseconds, openPerZone, open }: TurnLimits = TURN_LIMITS) {
  const queue = fairQueue<() => void>();
  const openIn = groupCounts();
  /** Those without a place, the longest first. */
  const slow = new Set<AbortController>();
  let inPlace = 0;
  let isOpen = 0;

  return function inTurn<T>(zone: string, work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.add(zone, () => run(zone, work).then(resolve, reject));
      startNext();
    });
  };

  function startNext(): void {
    while (inPlace < places && isOpen < open) {
      const start = queue.take(mayStart);
      if (start === undefined) return;
      start();
    }
    // The end of the longest one starts the next one.
    const [longest] = slow;
    if (inPlace < places && queue.has(mayStart)) longest?.abort();
  }

  function mayStart(zone: string): boolean {
    return openIn.of(zone) < openPerZone;
  }

  async function run<T>(zone: string, work: Work<T>): Promise<T> {
    const ended = new AbortController();
    inPlace += 1;
    isOpen += 1;
    openIn.change(zone, 1);
    const timer = setTimeout(() => {
      inPlace -= 1;
      slow.add(ended);
      startNext();
    }, placeMilliseconds);
    try {
      return await work(ended.signal);
    } finally {
      clearTimeout(timer);
      if (!slow.delete(ended)) inPlace -= 1;
      isOpen -= 1;
      openIn.change(zone, -1);
      startNext();
    }
  }
}
