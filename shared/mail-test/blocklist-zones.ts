/** The DNS blocklists that are queried by default. */

export type BlocklistRole = 'combined' | 'openrelay' | 'reputation' | 'userreported';

export const publicBlocklists: Readonly<Record<BlocklistRole, string>> = {
  combined: 'zen.spamhaus.org',
  openrelay: 'psbl.surriel.com',
  reputation: 'b.barracudacentral.org',
  userreported: 'bl.spamcop.net',
};
