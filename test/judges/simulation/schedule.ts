/** The order of everything in a simulated world: virtual time, chance from a seed, and a trace of what happened. */
import { createHash } from 'node:crypto';
import { setImmediate as settled } from 'node:timers/promises';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** A pseudorandom number from 0 to below 1. */
export type Chance = () => number;

/** Mulberry32: the same numbers for the same seed. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Schedule {
  /** Milliseconds since 1970, of the world. */
  time: number;
  readonly chance: Chance;
  readonly #events: Event[] = [];
  readonly #trace = createHash('sha256');
  #order = 0;
  /** Events so far. */
  steps = 0;
  /** The last lines of the trace, to read when a seed fails. */
  readonly lines: string[] = [];

  constructor(seed: number, start: Date) {
    this.time = start.getTime();
    this.chance = chanceOf(seed);
  }

  /** Runs something later. Returns what cancels it. */
  after(milliseconds: number, run: () => void): () => void {
    const event = { at: this.time + Math.max(0, milliseconds), order: this.#order++, run, cancelled: false };
    this.#push(event);
    return () => {
      event.cancelled = true;
    };
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  note(line: string): void {
    this.#trace.update(`${this.time} ${line}\n`);
    this.lines.push(`${new Date(this.time).toISOString()} ${line}`);
  }

  /** The hash of all that happened. */
  trace(): string {
    return this.#trace.copy().digest('hex').slice(0, 16);
  }

  /**
   * Runs events in the order of time until the condition holds or the time is over. Returns whether it held.
   * @param wake What else can be done at a time, and when: the earliest of it.
   */
  async until(condition: () => boolean, end: number): Promise<boolean> {
    for (;;) {
      // All that the last event led to, but for what waits for another event.
      await settled();
      if (condition()) return true;
      const event = this.#pop();
      if (event === undefined || event.at > end) {
        if (event !== undefined) this.#push(event);
        this.time = Math.max(this.time, end);
        return condition();
      }
      this.time = Math.max(this.time, event.at);
      this.steps += 1;
      event.run();
    }
  }

  #push(event: Event): void {
    const heap = this.#events;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Event;
      if (!isBefore(event, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): Event | undefined {
    for (;;) {
      const heap = this.#events;
      const [first] = heap;
      const last = heap.pop();
      if (first === undefined || last === undefined) return undefined;
      if (heap.length > 0) {
        let at = 0;
        for (;;) {
          let child = 2 * at + 1;
          const right = heap[child + 1];
          if (right !== undefined && isBefore(right, heap[child] as Event)) child += 1;
          const below = heap[child];
          if (below === undefined || !isBefore(below, last)) break;
          heap[at] = below;
          at = child;
        }
        heap[at] = last;
      }
      if (!first.cancelled) return first;
    }
  }
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
