/** What makes answers of the service the same in every run, so that they can be recorded. */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { jest } from '@jest/globals';
import { atEnd } from './use.ts';

/** Until the end of the file, it is `now` for everybody who asks for the time, and what is random is counted. */
export function fixTimeAndChance(now: Date): void {
  jest.useFakeTimers({
    now,
    doNotFake: [
      ...(['nextTick', 'performance', 'queueMicrotask', 'hrtime', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
  // Each is counted for itself, because packages take random UUIDs for their requests.
  let [texts, ids, uuids] = [0, 0, 0];
  jest.spyOn(crypto, 'randomBytes').mockImplementation((length: number) => {
    texts += 1;
    return octetsOf(`text ${texts}`, length);
  });
  jest.spyOn(crypto, 'randomUUID').mockImplementation(() => {
    uuids += 1;
    return uuidOf(octetsOf(`UUID ${uuids}`, 16));
  });
  // Each begins the IDs of a millisecond.
  jest.spyOn(crypto, 'randomInt').mockImplementation((most: number) => {
    ids += 1;
    return (ids * 4096) % most;
  });
  jest.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
    if (array instanceof Uint8Array) array.fill(0);
    return array;
  });
  syncBuiltinESMExports();
  atEnd(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
    syncBuiltinESMExports();
  });
}

const octetsOf = (text: string, length: number): Buffer =>
  createHash('shake256', { outputLength: length }).update(text).digest();

const uuidOf = (octets: Buffer): ReturnType<typeof crypto.randomUUID> =>
  `${hex(octets, 0, 4)}-${hex(octets, 4, 6)}-4${hex(octets, 6, 8).slice(1)}-8${hex(octets, 8, 10).slice(1)}-${hex(octets, 10, 16)}`;

const hex = (octets: Buffer, from: number, to: number): string => octets.toString('hex', from, to);

/** The text with names in place of what is random: the ones that are known, and numbers for the others. */
export function withNames(text: string, random: RegExp, known: ReadonlyMap<string, string>): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(random, (found) => {
    const name = known.get(found);
    if (name !== undefined) return name;
    const number = numbers.get(found) ?? numbers.size + 1;
    numbers.set(found, number);
    return `<${number}>`;
  });
}
