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
  return isOfSpamhaus(zone) ? 'dbltest.com' : 'test';
}

/** Zones for customers are below `dq.spamhaus.net`. */
const isOfSpamhaus = (zone: string): boolean => /(^|\.)(spamhaus\.org|spamhaus\.net)$/.test(zone);

/** The return codes of the Policy Blocklist of Spamhaus, which is also part of its combined list. */
const POLICY_CODES: readonly string[] = ['127.0.0.10', '127.0.0.11'];

/**
 * Whether a listing says only that the address should not deliver to other hosts by itself, as most addresses of customers of access
 * providers. That matters to an address that sends, and not to one that only receives.
 */
export const isAboutSendingOnly = (zone: string, codes: readonly string[]): boolean =>
  isOfSpamhaus(zone) && codes.length > 0 && codes.every((code) => POLICY_CODES.includes(code));
