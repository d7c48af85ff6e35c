import { formatPrefix, parseIp, prefixOf, unmapped } from '../protocol/ip.ts';

/** The bits of a network that one site can have (RFC 6177 section 2): somebody with one IPv6 address can have a /48. */
export const SITE_BITS = 48;

/**
 * The name of the caller that limits count, from its IP address: the address itself for IPv4, a prefix of
 * `ipv6Length` bits for IPv6, because somebody with one address of a /64 has all of them. Some have a whole
 * site (`SITE_BITS`). Text that is not an address is its own name.
 */
export function callerOf(address: string, ipv6Length = 64): string {
  const parsed = parseIp(address);
  if (parsed === undefined) return address;
  const ip = unmapped(parsed);
  return formatPrefix(ip.family === 6 ? prefixOf(ip, ipv6Length) : prefixOf(ip));
}
