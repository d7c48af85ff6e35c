import { formatPrefix, parseIp, prefixOf, unmapped } from '../protocol/ip.ts';

/**
 * Who counts as one caller, by a client's address. Whoever has one address of an IPv6 /64 has them all (RFC 6177), so
 * these are one.
 */
export function callerOf(address: string): string {
  const parsed = parseIp(address);
  if (parsed === undefined) return address;
  const ip = unmapped(parsed);
  return formatPrefix(ip.family === 6 ? prefixOf(ip, 64) : prefixOf(ip));
}
