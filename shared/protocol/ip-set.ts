/** Sets of IP addresses: exact union and difference of prefixes, without enumerating addresses. */
import { ADDRESS_BITS, compareIps, contains, type IpAddress, type IpFamily, type IpPrefix } from './ip.ts';

/** Addresses from `first` to `last`, inclusive. */
interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** A set of addresses of both families, as sorted intervals that are neither adjacent nor overlapping. */
export interface IpSet {
  readonly 4: readonly Interval[];
  readonly 6: readonly Interval[];
}

export const EMPTY: IpSet = { 4: [], 6: [] };
export const EVERYTHING: IpSet = ipSet([
  { family: 4, value: 0n, length: 0 },
  { family: 6, value: 0n, length: 0 },
]);

export function ipSet(prefixes: readonly IpPrefix[]): IpSet {
  const intervals = (family: IpFamily) =>
    joined(prefixes.filter((prefix) => prefix.family === family).map(intervalOf));
  return { 4: intervals(4), 6: intervals(6) };
}

export function union(a: IpSet, b: IpSet): IpSet {
  return { 4: joined([...a[4], ...b[4]]), 6: joined([...a[6], ...b[6]]) };
}

/** The addresses of `a` that are not in `b`. */
export function difference(a: IpSet, b: IpSet): IpSet {
  return { 4: without(a[4], b[4]), 6: without(a[6], b[6]) };
}

/** Whether the address is in the set, by binary search. */
export function includes(set: IpSet, { family, value }: IpAddress): boolean {
  const intervals = set[family];
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const interval = intervals[middle];
    if (interval === undefined || interval.first > value) high = middle;
    else if (interval.last < value) low = middle + 1;
    else return true;
  }
  return false;
}

/** The smallest list of prefixes that equals the set, sorted; undefined if it is longer than `limit`. */
export function prefixesOf(set: IpSet, limit = Number.POSITIVE_INFINITY): IpPrefix[] | undefined {
  const prefixes: IpPrefix[] = [];
  for (const family of [4, 6] as const) {
    for (const interval of set[family]) {
      for (const prefix of covering(interval, family)) {
        if (prefixes.length === limit) return undefined;
        prefixes.push(prefix);
      }
    }
  }
  return prefixes;
}

/** The `prefixes` that are contained in another one, each with the widest prefix that contains it. */
export function nested<P extends IpPrefix>(
  prefixes: readonly P[],
): { readonly inner: P; readonly outer: P }[] {
  const pairs: { inner: P; outer: P }[] = [];
  let outer: P | undefined;
  // Prefixes are nested or disjoint, so in sorted order it is enough to compare with the previous one.
  for (const prefix of prefixes.toSorted(compareIps)) {
    if (outer !== undefined && contains(outer, prefix)) pairs.push({ inner: prefix, outer });
    else outer = prefix;
  }
  return pairs;
}

function intervalOf({ family, value, length }: IpPrefix): Interval {
  return { first: value, last: value + (1n << BigInt(ADDRESS_BITS[family] - length)) - 1n };
}

function joined(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const next of intervals.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const previous = result.at(-1);
    if (previous === undefined || next.first > previous.last + 1n) result.push(next);
    else if (next.last > previous.last)
      result[result.length - 1] = { first: previous.first, last: next.last };
  }
  return result;
}

function without(from: readonly Interval[], removed: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  let next = 0;
  for (const { first, last } of from) {
    let start = first;
    while (next < removed.length && (removed[next]?.last ?? 0n) < start) next += 1;
    for (let index = next; index < removed.length; index += 1) {
      const hole = removed[index];
      if (hole === undefined || hole.first > last) break;
      if (hole.first > start) result.push({ first: start, last: hole.first - 1n });
      start = hole.last + 1n;
    }
    if (start <= last) result.push({ first: start, last });
  }
  return result;
}

/** Splits an interval into the fewest prefixes: at each point the widest one that starts there and stays within it. */
function* covering({ first, last }: Interval, family: IpFamily): Generator<IpPrefix> {
  let value = first;
  while (value <= last) {
    let hostBits = 0n;
    while (
      hostBits < ADDRESS_BITS[family] &&
      (value >> hostBits) % 2n === 0n &&
      value + (1n << (hostBits + 1n)) - 1n <= last
    ) {
      hostBits += 1n;
    }
    yield { family, value, length: ADDRESS_BITS[family] - Number(hostBits) };
    value += 1n << hostBits;
  }
}
