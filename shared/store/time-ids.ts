/** UUIDv7 as sort keys: they sort by the time at which they were made (RFC 9562 section 5.7). */
import { randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { justBefore } from './query.ts';

let last = { msecs: Number.NaN, seq: 0 };

/**
 * A new ID. Those that a process makes for a millisecond sort in the order in which it makes them, unless it makes one for
 * another time in between.
 */
export function newId(now: Date): string {
  const msecs = now.getTime();
  last = { msecs, seq: last.msecs === msecs ? last.seq + 1 : randomInt(2 ** 31) };
  return uuidv7(last);
}

/** Limits that enclose IDs; both are none themselves. */
export interface Ids {
  readonly low: string;
  readonly high: string;
}

/** The IDs that were made from a time on and before another one, in ISO form, and that are older than `after`. */
export const idsIn = ({
  since,
  until,
  after,
}: {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly after?: string | undefined;
}): Ids => ({
  low: since === undefined ? BEFORE_ALL : firstIdAt(since),
  high: lesser(
    until === undefined ? AFTER_ALL : firstIdAt(until),
    after === undefined ? AFTER_ALL : justBefore(after),
  ),
});

const BEFORE_ALL = '0';
const AFTER_ALL = '~';

const lesser = (one: string, other: string): string => (one < other ? one : other);

/** What sorts before all UUIDv7 of that millisecond and after those of the one before. */
function firstIdAt(iso: string): string {
  const hex = Date.parse(iso).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
