/**
 * Remembers zones whose servers were silent for several names, so that nobody waits for each further name. Any answer about a
 * name of the zone ends this. While nothing at all is answered, the network is down and not a zone.
 */

/** Servers that ignore one name may answer others; after this many, all of them are probably silent. */
const SILENT_NAMES = 3;
/** Then one lookup in this time finds out whether the zone answers again. */
const SILENT_MILLISECONDS = 30_000;
/** Names that were silent longer ago say nothing about now. */
const WINDOW_MILLISECONDS = 120_000;
const MAX_ZONES = 5_000;

interface Silence {
  readonly names: Set<string>;
  /** The first lookup without an answer started then. All times are in milliseconds of a monotonic clock. */
  readonly since: number;
  last: number;
  nextTry: number;
}

interface SilentZones {
  /** Whether to skip a lookup in this zone. If not, the caller reports its outcome. */
  skips(zone: string): boolean;
  silent(zone: string, name: string): void;
  answered(zone: string): void;
}

export function silentZones(now: () => number = () => performance.now()): SilentZones {
  const zones = new Map<string, Silence>();
  let lastAnswer = Number.NEGATIVE_INFINITY;
  return {
    skips(zone) {
      const silence = zones.get(zone);
      if (silence === undefined || silence.names.size < SILENT_NAMES || lastAnswer < silence.since)
        return false;
      const time = now();
      if (time < silence.nextTry) return true;
      silence.nextTry = time + SILENT_MILLISECONDS;
      return false;
    },
    silent(zone, name) {
      const time = now();
      const known = zones.get(zone);
      zones.delete(zone);
      const silence =
        known === undefined || time - known.last > WINDOW_MILLISECONDS
          ? { names: new Set<string>(), since: time, last: time, nextTry: time }
          : known;
      if (silence.names.size < SILENT_NAMES) silence.names.add(name);
      silence.last = time;
      silence.nextTry = time + SILENT_MILLISECONDS;
      zones.set(zone, silence);
      for (const oldest of zones.keys()) {
        if (zones.size <= MAX_ZONES) break;
        zones.delete(oldest);
      }
    },
    answered(zone) {
      zones.delete(zone);
      lastAnswer = now();
    },
  };
}
