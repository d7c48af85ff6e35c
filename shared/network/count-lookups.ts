import type { Dns } from '../protocol/dns.ts';

/** The number of lookups, and how many of them were answered from the cache. */
export interface LookupCounts {
  readonly dnsLookups: number;
  readonly dnsCacheHits: number;
}

/** Wraps a Dns so that its lookups are counted. */
export function countLookups(dns: Dns): { readonly dns: Dns; readonly counts: () => LookupCounts } {
  let dnsLookups = 0;
  let dnsCacheHits = 0;
  return {
    dns: {
      async lookup(...question) {
        dnsLookups += 1;
        const answer = await dns.lookup(...question);
        if (answer.evidence.fromCache === true) dnsCacheHits += 1;
        return answer;
      },
    },
    counts: () => ({ dnsLookups, dnsCacheHits }),
  };
}
