/**
 * IP addresses and prefixes (RFC 4632, RFC 4291): from text to comparable numbers, and back to canonical text (RFC
 * 5952).
 */
import { isIPv4, isIPv6 } from 'node:net';

export type IpFamily = 4 | 6;

export interface IpAddress {
  readonly family: IpFamily;
  /** The 32 or 128 bits of the address as an unsigned number. */
  readonly value: bigint;
}

/** All addresses whose first `length` bits are those of `value`; its other bits are zero. */
export interface IpPrefix extends IpAddress {
  readonly length: number;
}

/** The number of bits of an address, which is also the prefix length of a single address. */
export const ADDRESS_BITS = { 4: 32, 6: 128 } as const;

/** Parses an address; undefined for anything else, including leading zeros (`010.0.0.1`) and zones (`fe80::1%eth0`). */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, value: BigInt(ipv4Number(text)) };
  if (isIPv6(text) && !text.includes('%')) return { family: 6, value: ipv6Value(text) };
  return undefined;
}

/** Parses `address` or `address/length` (no leading zeros). Bits beyond the prefix length are cleared. */
export function parsePrefix(text: string): IpPrefix | undefined {
  const slash = text.indexOf('/');
  const address = parseIp(slash === -1 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  if (slash === -1) return prefixOf(address);
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > ADDRESS_BITS[address.family]) return undefined;
  return prefixOf(address, Number(length));
}

/** The prefix of `length` bits that contains `address`; without a length, the address alone. */
export function prefixOf(address: IpAddress, length: number = ADDRESS_BITS[address.family]): IpPrefix {
  const { family, value } = address;
  if (length === ADDRESS_BITS[family]) return { family, value, length };
  const hostBits = BigInt(ADDRESS_BITS[family] - length);
  return { family, value: (value >> hostBits) << hostBits, length };
}

/** Canonical text: dotted decimal, or RFC 5952 with IPv4-mapped addresses in mixed notation (section 5). */
export function formatIp({ family, value }: IpAddress): string {
  if (family === 4) return formatIpv4(Number(value));
  if (value >> 32n === 0xffffn) return `::ffff:${formatIpv4(Number(value & 0xffff_ffffn))}`;
  const groups = value.toString(16).padStart(32, '0').match(/.{4}/g) ?? [];
  const written = groups.map((group) => group.replace(/^0{1,3}/, ''));
  const [start, length] = longestZeroRun(written);
  if (length < 2) return written.join(':');
  return `${written.slice(0, start).join(':')}::${written.slice(start + length).join(':')}`;
}

/** Canonical text of a prefix, such as `192.0.2.0/24`; without length for a single address. */
export function formatPrefix(prefix: IpPrefix): string {
  const text = formatIp(prefix);
  return prefix.length === ADDRESS_BITS[prefix.family] ? text : `${text}/${prefix.length}`;
}

/** Whether `prefix` contains the address or the whole other prefix. Always false for different families. */
export function contains(prefix: IpPrefix, inner: IpAddress | IpPrefix): boolean {
  if (prefix.family !== inner.family) return false;
  if ('length' in inner && inner.length < prefix.length) return false;
  return (prefix.value ^ inner.value) >> BigInt(ADDRESS_BITS[prefix.family] - prefix.length) === 0n;
}

/** Sort order: IPv4 before IPv6, then by number, then wider prefixes before narrower ones. */
export function compareIps(a: IpAddress | IpPrefix, b: IpAddress | IpPrefix): number {
  if (a.family !== b.family) return a.family - b.family;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return lengthOf(a) - lengthOf(b);
}

/** The IPv4 address of an IPv4-mapped address (RFC 4291 section 2.5.5.2); every other address unchanged. */
export function unmapped(address: IpAddress): IpAddress {
  if (address.family === 4 || address.value >> 32n !== 0xffffn) return address;
  return { family: 4, value: address.value & 0xffff_ffffn };
}

/**
 * Parses the network of clients, like `parsePrefix`. IPv4-mapped networks are those of the IPv4 addresses in them, as
 * clients are known by these.
 */
export function parseNetwork(text: string): IpPrefix | undefined {
  const prefix = parsePrefix(text);
  if (prefix === undefined || prefix.length < MAPPED_BITS) return prefix;
  const { family, value } = unmapped(prefix);
  return family === prefix.family ? prefix : { family, value, length: prefix.length - MAPPED_BITS };
}

/** The bits before the IPv4 address in an IPv4-mapped address. */
const MAPPED_BITS = 96;

/** The address as labels for DNS names, least significant last: octets or uppercase nibbles (RFC 7208 section 7.3). */
export function addressLabels(address: IpAddress): string[] {
  if (address.family === 4) return formatIp(address).split('.');
  return [...address.value.toString(16).toUpperCase().padStart(32, '0')];
}

/** The name of the PTR records of an address (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export function reverseName(address: IpAddress): string {
  const labels = addressLabels(address).reverse().join('.').toLowerCase();
  return `${labels}.${address.family === 4 ? 'in-addr' : 'ip6'}.arpa`;
}

function lengthOf(ip: IpAddress | IpPrefix): number {
  return 'length' in ip ? ip.length : ADDRESS_BITS[ip.family];
}

function ipv4Number(text: string): number {
  return text.split('.').reduce((value, octet) => value * 256 + Number(octet), 0);
}

function formatIpv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}

function ipv6Value(text: string): bigint {
  const [head = '', tail] = text.split('::').map(hexGroups);
  const missing = 32 - head.length - (tail?.length ?? 0);
  return BigInt(`0x${head}${'0'.repeat(missing)}${tail ?? ''}`);
}

/** The hexadecimal digits of all groups of a part such as `2001:db8:192.0.2.1`, four digits each. */
function hexGroups(part: string): string {
  if (part === '') return '';
  return part
    .split(':')
    .map((group) =>
      group.includes('.') ? ipv4Number(group).toString(16).padStart(8, '0') : group.padStart(4, '0'),
    )
    .join('');
}

/** Start and length of the longest run of zero groups, the first if there are several (RFC 5952 section 4.2.3). */
function longestZeroRun(groups: readonly string[]): readonly [start: number, length: number] {
  let best: readonly [number, number] = [0, 0];
  let start = 0;
  groups.forEach((group, index) => {
    if (group !== '0') start = index + 1;
    else if (index + 1 - start > best[1]) best = [start, index + 1 - start];
  });
  return best;
}
