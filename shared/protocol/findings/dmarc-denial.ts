/** The rule of the DMARC check about zones that answer for names that do not exist. */
import { READ_REPORTS } from './dmarc.ts';
import { type Rules, rule } from './finding.ts';

export const dmarcDenialRules = {
  'dmarc-np-without-effect': rule<{ domain: string; np: string; applied: string }>({
    severity: 'notice',
    says: ({ domain, np, applied }) =>
      `np=${np} has no effect: the zone of ${domain} answers that names exist which do not (compact denial of existence), so receivers apply ${applied} to mail in their name.`,
    cites: 'RFC 9824 section 3.1',
    fix: ({ np }) =>
      `${READ_REPORTS} also from subdomains, you can set sp=${np}. Before, publish a DMARC record of its own for each subdomain that needs a weaker policy.`,
    subject: 'domain',
  }),
} satisfies Rules;
