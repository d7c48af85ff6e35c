/** The DNS blocklists that are queried by default. */

export type BlocklistRole = 'combined' | 'openrelay' | 'reputation' | 'userreported';

export const publicBlocklists: Readonly<Record<BlocklistRole, string>> = {
  combined: 'zen.spamhaus.org',
  openrelay: 'psbl.surriel.com',
  reputation: 'b.barracudacentral.org',
  userreported: 'bl.spamcop.net',
};

/**
 * The list of domains that is queried by default: its terms are those of `zen.spamhaus.org`, and it refuses resolvers that
 * it does not serve. SURBL and URIBL want to be asked first.
 */
export const publicDomainBlocklists: readonly string[] = ['dbl.spamhaus.org'];

/** A domain that a list of domains contains so that it can be tested: `test` (RFC 5782 section 5), or its own. */
export function testDomain(zone: string): string {
  return /(^|\.)(spamhaus\.org|spamhaus\.net)$/.test(zone) ? 'dbltest.com' : 'test';
}
