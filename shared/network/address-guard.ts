/**
 * Which addresses may be dialled when an untrusted party chose the name: public unicast only, according to the IANA
 * special-purpose address registries for IPv4 and IPv6 (RFC 6890).
 */
import { contains, type IpAddress, type IpPrefix, parseIp, parsePrefix } from '../protocol/ip.ts';

/** IPv4 is public unless listed. */
const notPublicIpv4 = prefixes([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT (RFC 6598); holds a cloud's metadata service too
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's platform service, at an address that looks public
  '169.254.0.0/16', // link-local, metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays (RFC 7526)
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);

/**
 * IPv6 is public only inside the global unicast space. Outside of it are loopback, mapped and compatible addresses,
 * NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only, unique local, link-local, site-local and multicast.
 */
const globalUnicast = prefixes(['2000::/3']);
const notPublicIpv6 = prefixes([
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which holds any IPv4 address
  '3fff::/20', // documentation
]);

/** Whether `text` is a public address in its usual notation. Octal, hexadecimal and zoned forms are not accepted. */
export function isPublicAddress(text: string): boolean {
  const address = parseIp(text);
  if (address === undefined) return false;
  if (address.family === 4) return !within(notPublicIpv4, address);
  return within(globalUnicast, address) && !within(notPublicIpv6, address);
}

function within(list: readonly IpPrefix[], address: IpAddress): boolean {
  return list.some((prefix) => contains(prefix, address));
}

function prefixes(list: readonly string[]): readonly IpPrefix[] {
  return list.map((text) => {
    const prefix = parsePrefix(text);
    if (prefix === undefined) throw new TypeError(`not a prefix: ${text}`);
    return prefix;
  });
}
