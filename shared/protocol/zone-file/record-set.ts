/** Record sets as text, one value per record, and the DNS data that the values stand for. */
import { isIPv4, isIPv6 } from 'node:net';
import type { RecordData } from '../dns.ts';
import { canonicalName, isLookupName } from '../domain-name.ts';
import { formatIp, parseIp } from '../ip.ts';

/** The types of the record sets that the checks look up and that owners of a domain change. */
export const zoneTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TLSA', 'TXT'] as const satisfies (keyof RecordData)[];

export type ZoneType = (typeof zoneTypes)[number];

/** All records of one name and type. Without values, there are none: the set is removed. */
export interface ZoneSet {
  /** In lowercase, without trailing dot. */
  readonly name: string;
  readonly type: ZoneType;
  /** In seconds. */
  readonly ttl: number;
  /**
   * One value per record, names without trailing dot: `10 mx.example.org`, `0 .` for a null MX, and the text of a TXT
   * record without quotes.
   */
  readonly values: readonly string[];
}

/** RFC 1035 section 3.3: the maximum length of a character-string in octets. */
export const MAX_STRING = 255;

/** The longest TXT record that Route 53 accepts, in octets; few providers accept longer ones. */
const MAX_TXT_OCTETS = 4000;

/** The data of a value; undefined if it is not a valid value of the type. */
export function readValue<T extends ZoneType>(type: T, value: string): RecordData[T] | undefined {
  return readers[type](value);
}

const readers: { readonly [T in ZoneType]: (value: string) => RecordData[T] | undefined } = {
  A: (value) => (isIPv4(value) ? value : undefined),
  AAAA: (value) => {
    const address = isIPv6(value) ? parseIp(value) : undefined;
    return address && formatIp(address);
  },
  CNAME: (value) => {
    const name = canonicalName(value);
    return isOrdinaryName(name) ? name : undefined;
  },
  MX: (value) => {
    const [, preference, exchange = ''] = /^(\d{1,5}) (\S+)$/.exec(value) ?? [];
    if (preference === undefined || Number(preference) > 0xffff) return undefined;
    const name = canonicalName(exchange);
    return name === '' || isOrdinaryName(name)
      ? { preference: Number(preference), exchange: name }
      : undefined;
  },
  TLSA: (value) => {
    const [, usage, selector, matchingType, hex = ''] =
      /^(\d{1,3}) (\d{1,3}) (\d{1,3}) ((?:[0-9a-f]{2})+)$/i.exec(value) ?? [];
    const numbers = [usage, selector, matchingType].map(Number);
    if (usage === undefined || numbers.some((number) => number > 0xff)) return undefined;
    const [first = 0, second = 0, third = 0] = numbers;
    const certificate = Uint8Array.from(Buffer.from(hex, 'hex'));
    return { usage: first, selector: second, matchingType: third, certificate };
  },
  TXT: (value) => (Buffer.byteLength(value) <= MAX_TXT_OCTETS ? value : undefined),
};

/** The value of a record's data: the inverse of `readValue`. */
export function writeValue<T extends ZoneType>(type: T, data: RecordData[T]): string {
  return writers[type](data);
}

const writers: { readonly [T in ZoneType]: (data: RecordData[T]) => string } = {
  A: (address) => address,
  AAAA: (address) => address,
  CNAME: (name) => name,
  MX: ({ preference, exchange }) => `${preference} ${exchange || '.'}`,
  TLSA: ({ usage, selector, matchingType, certificate }) =>
    `${usage} ${selector} ${matchingType} ${Buffer.from(certificate).toString('hex')}`,
  TXT: (text) => text,
};

/** Whether a name consists of letters, digits, hyphens and underscores, or starts with a wildcard label. */
export function isOrdinaryName(name: string): boolean {
  const labels = name.split('.');
  return (
    isLookupName(name) &&
    labels.every((label, at) => /^[a-z0-9_-]+$/.test(label) || (at === 0 && label === '*'))
  );
}

/** The octets of a TXT record as character-strings of at most 255 octets. */
export function characterStrings(text: string): readonly Buffer[] {
  const octets = Buffer.from(text, 'utf8');
  return Array.from({ length: Math.max(1, Math.ceil(octets.length / MAX_STRING)) }, (_, at) =>
    octets.subarray(at * MAX_STRING, (at + 1) * MAX_STRING),
  );
}
