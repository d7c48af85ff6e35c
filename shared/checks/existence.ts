/** Whether a domain exists, as the lookups of a check run prove. */
import type { mxRules } from '../protocol/findings/mx.ts';
import type { CheckResults } from './results.ts';

const NO_SUCH_DOMAIN: keyof typeof mxRules = 'mx-no-such-domain';

/**
 * False only if the lookups of MX and addresses of the domain all said NXDOMAIN (RFC 8020), and no other lookup found a record
 * of its own: some name servers say NXDOMAIN about names that have records below them. What failed proves nothing.
 */
export function existsInDns({ mx, spf, dkim, mtaSts, tlsRpt }: CheckResults): boolean {
  if (!mx.findings.some(({ id }) => id === NO_SUCH_DOMAIN)) return true;
  return [spf, dkim, mtaSts, tlsRpt].some(
    ({ state }) => state !== 'absent' && state !== 'not-applicable' && state !== 'unknown',
  );
}
