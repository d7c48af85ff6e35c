import type { Dns } from '../protocol/dns.ts';

/** How many look-ups were made, and how many of them were answered from what was known. */
export interface LookupCounts {
  readonly dnsLookups: number;
  readonly dnsCacheHits: number;
}

/** The same Dns, which counts what it is asked from now on. */
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
