/** Where the RDAP servers of top-level domains are: the bootstrap file of IANA (RFC 9224). */
import * as z from 'zod/mini';
import { canonicalName } from '../domain-name.ts';

const file = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])),
});

/** The base URLs by suffix; the longest suffix that matches counts (RFC 9224 section 4). */
export type RdapServers = ReadonlyMap<string, string>;

/** Undefined if it is not such a file. Only servers with https count. */
export function readBootstrap(body: Uint8Array): RdapServers | undefined {
  const { data } = z.safeParse(file, parsed(body));
  if (data === undefined) return undefined;
  return new Map(
    data.services.flatMap(([suffixes, urls]) => {
      const base = urls.find((url) => url.startsWith('https://') && URL.canParse(url));
      return base === undefined ? [] : suffixes.map((suffix) => [canonicalName(suffix), base] as const);
    }),
  );
}

/** The URL that asks about a domain; undefined if no server is listed for it. */
export function rdapUrl(servers: RdapServers, domain: string): string | undefined {
  for (let suffix = domain; suffix !== ''; suffix = suffix.slice(suffix.indexOf('.') + 1)) {
    const base = servers.get(suffix);
    if (base !== undefined) return `${base.replace(/\/?$/, '/')}domain/${domain}`;
    if (!suffix.includes('.')) break;
  }
  return undefined;
}

/** The value of JSON text; undefined if it is none. */
export function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
