/** Normalizes values in reports. */
import { isIPv4 } from 'node:net';
import { canonicalName, parseLookupName } from '../protocol/domain-name.ts';
import { formatIp, parseIp, unmapped } from '../protocol/ip.ts';
import { MAX_VALUE } from './limits.ts';

/** A domain name as lower-case A-labels without trailing dot; any other text only in lower case. */
export function normalizedDomain(text: string): string {
  if (/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(text)) return text;
  const parsed = parseLookupName(text);
  return parsed.ok ? parsed.name : canonicalName(text);
}

/** The canonical text of an IP address, IPv4-mapped ones as IPv4; undefined if it is not an address. */
export function normalizedAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const address = parseIp(text);
  return address === undefined ? undefined : formatIp(unmapped(address));
}

/** At most MAX_VALUE characters, without splitting a surrogate pair. */
export function truncated(text: string): string {
  if (text.length <= MAX_VALUE) return text;
  const last = text.charCodeAt(MAX_VALUE - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_VALUE - 1 : MAX_VALUE);
}

/** A whole number from 0 to 2^53 - 1; undefined for anything else. */
export function wholeNumber(text: string): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A copy to keep: a substring keeps its whole parent string in memory. */
export const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** Remembers the results for a limited number of texts. */
export function memoized<Result>(work: (text: string) => Result, size = 1_000): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const copy = copied(text);
    const result = work(copy);
    if (known.size === size) known.clear();
    known.set(copy, result);
    return result;
  };
}
