/** Parsers for environment variables that contain lists. Each throws an Error whose message completes "KEY ...". */
import { isIP } from 'node:net';
import { type BlocklistRole, publicBlocklists } from '../../mail-test/blocklist-zones.ts';
import type { ServerAddress } from '../../network/dns-transport.ts';
import { type IpPrefix, parseNetwork } from '../../protocol/ip.ts';

const DNS_PORT = 53;

/** `192.0.2.1,192.0.2.2:5353,[2001:db8::1]:53,2001:db8::2`; empty selects the resolvers of the system. */
export function parseServers(text: string): readonly ServerAddress[] {
  return entries(text).map((entry) => {
    const server = isIP(entry) === 0 ? endpointOf(entry) : { host: entry, port: DNS_PORT };
    if (server === undefined || isIP(server.host) === 0) {
      throw new Error(`must be a comma-separated list of ip or ip:port; invalid: ${entry}`);
    }
    return { address: server.host, port: server.port };
  });
}

/** `127.0.0.1,192.0.2.0/24,2001:db8::/32`: addresses and networks. */
export function parseNetworks(text: string): readonly IpPrefix[] {
  return entries(text).map((entry) => {
    const network = parseNetwork(entry);
    if (network === undefined)
      throw new Error(`must be a comma-separated list of addresses and networks; invalid: ${entry}`);
    return network;
  });
}

/** `/var/lib/asn.mmdb,/var/lib/country.mmdb`: files. */
export const parsePaths = (text: string): readonly string[] => entries(text);

/** `mx.example.org:25=127.0.0.1:2526,...`: replacement addresses for connections, by `host:port` in lower case. */
export function parseDialMap(text: string): ReadonlyMap<string, ServerAddress> {
  return new Map(
    entries(text).map((entry) => {
      const [from = '', to = ''] = entry.split('=');
      const [source, target] = [endpointOf(from), endpointOf(to)];
      if (source === undefined || target === undefined || isIP(target.host) === 0) {
        throw new Error(`must be a comma-separated list of host:port=address:port; invalid: ${entry}`);
      }
      return [`${source.host.toLowerCase()}:${source.port}`, { address: target.host, port: target.port }];
    }),
  );
}

/** `combined=zone,openrelay=zone,reputation=zone,userreported=zone`; an omitted role is not queried. */
export function parseBlocklists(text: string): ReadonlyMap<BlocklistRole, string> {
  return new Map(
    entries(text).map((entry) => {
      const [role = '', zone = ''] = entry.split('=');
      if (!Object.hasOwn(publicBlocklists, role) || !ZONE.test(zone)) {
        throw new Error(
          `must be a comma-separated list of role=zone with the roles ${Object.keys(publicBlocklists).join(', ')}; invalid: ${entry}`,
        );
      }
      return [role as BlocklistRole, zone.toLowerCase()];
    }),
  );
}

/** `dbl.spamhaus.org,multi.surbl.org`: zones of DNS blocklists of domains. */
export function parseZones(text: string): readonly string[] {
  return entries(text).map((zone) => {
    if (!ZONE.test(zone)) throw new Error(`must be a comma-separated list of zones; invalid: ${zone}`);
    return zone.toLowerCase();
  });
}

const ZONE = /^[a-z0-9][a-z0-9.-]*$/i;

function entries(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function endpointOf(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text.trim());
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return undefined;
  return { host: match[1] ?? match[2] ?? '', port };
}
