/**
 * Gives lookups their turn, so that zones whose servers are silent don't keep others waiting. A lookup has a place only as long
 * as an ordinary answer takes; then it goes on beside the places. Zones take turns, and each has a limit of its own. When too
 * many lookups go on beside the places, the longest one ends.
 */

export interface TurnLimits {
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

interface Lookup {
  readonly zone: string;
  readonly start: () => void;
}

export function lookupTurns({ places, placeMilliseconds, openPerZone, open }: TurnLimits = TURN_LIMITS) {
  /** By zone, in the order in which the zones take turns. */
  const waiting = new Map<string, Lookup[]>();
  const openByZone = new Map<string, number>();
  /** Those without a place, the longest first. */
  const slow = new Set<AbortController>();
  let inPlace = 0;
  let isOpen = 0;

  return function inTurn<T>(zone: string, work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = () => run(zone, work).then(resolve, reject);
      waiting.set(zone, [...(waiting.get(zone) ?? []), { zone, start }]);
      startNext();
    });
  };

  function startNext(): void {
    for (let zone = nextZone(); zone !== undefined && inPlace < places; zone = nextZone()) {
      if (isOpen >= open) {
        const [longest] = slow;
        // Its end starts the next one.
        longest?.abort();
        return;
      }
      const [next, ...others] = waiting.get(zone) ?? [];
      // The zone goes to the end of the line.
      waiting.delete(zone);
      if (others.length > 0) waiting.set(zone, others);
      next?.start();
    }
  }

  function nextZone(): string | undefined {
    for (const zone of waiting.keys()) if ((openByZone.get(zone) ?? 0) < openPerZone) return zone;
    return undefined;
  }

  async function run<T>(zone: string, work: Work<T>): Promise<T> {
    const ended = new AbortController();
    inPlace += 1;
    isOpen += 1;
    openByZone.set(zone, (openByZone.get(zone) ?? 0) + 1);
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
      const left = (openByZone.get(zone) ?? 1) - 1;
      if (left === 0) openByZone.delete(zone);
      else openByZone.set(zone, left);
      startNext();
    }
  }
}
