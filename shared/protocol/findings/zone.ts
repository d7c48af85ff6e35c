/** The rules on how a zone is served, raised by the checks whose records are concerned. */
import { type Rules, rule } from './finding.ts';

/** "They must be distributed to all of the name servers." */
const DISTRIBUTION = 'RFC 1034 section 4.3.5';

export const zoneRules = {
  'zone-servers-disagree': rule<{ name: string; records: string; answers: readonly string[] }>({
    severity: 'warning',
    says: ({ name, records, answers }) =>
      `The name servers give different ${records} records for ${name}, so what others see changes from one look-up to the next: ${answers.join('; ')}.`,
    cites: DISTRIBUTION,
    fix: 'Have all name servers of the zone serve the same data: check zone transfers, or the second DNS provider.',
    subject: 'name',
  }),
  'zone-serials-differ': rule<{ domain: string; answers: readonly string[] }>({
    severity: 'notice',
    says: ({ domain, answers }) =>
      `The name servers of ${domain} hold different versions of its zone (serial numbers ${answers.join('; ')}).`,
    cites: DISTRIBUTION,
    fix: 'If it lasts for hours and one DNS provider has the whole zone, check the transfers to the server that is behind.',
  }),
} satisfies Rules;
