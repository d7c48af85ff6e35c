/** Lookups that see what was published a moment ago, past the cache of the resolver of this process. */
import type { Network } from '../network/ports.ts';
import type { Dns, RecordType } from '../protocol/dns.ts';
import { isWithin, organizationalDomain } from '../protocol/domain-name.ts';

/** A Dns whose lookups of some names are fresh. */
export const freshWhere = (dns: Dns, isFresh: (name: string, type: RecordType) => boolean): Dns => ({
  lookup: (name, type, options) =>
    dns.lookup(name, type, isFresh(name, type) ? { ...options, fresh: true } : options),
});

/**
 * The network of a check run that somebody waits for who changed records of `domain`: every name of its organization is
 * looked up anew. A run makes each lookup once, so this costs no more of them.
 */
export function freshFor<Given extends Pick<Network, 'dns'>>(network: Given, domain: string): Given {
  const own = organizationalDomain(domain);
  return { ...network, dns: freshWhere(network.dns, (name) => isWithin(name, own)) };
}
