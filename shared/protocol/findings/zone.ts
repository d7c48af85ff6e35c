/** The rules on how a zone is served. The checks whose records are affected raise them. */
import { type Rules, rule } from './finding.ts';

/** "They must be distributed to all of the name servers." */
const DISTRIBUTION = 'RFC 1034 section 4.3.5';

export const zoneRules = {
  'zone-servers-disagree': rule<{ name: string; records: string; answers: readonly string[] }>({
    severity: 'warning',
    says: ({ name, records, answers }) =>
      `The authoritative name servers return different ${records} records for ${name}, so results change from one lookup to the next: ${answers.join('; ')}.`,
    cites: DISTRIBUTION,
    fix: ({ name }) =>
      `Make all authoritative name servers of the zone serve the same data for ${name}. Check the zone transfers, or the zone at the second DNS provider.`,
    subject: 'name',
  }),
  'zone-serials-differ': rule<{ domain: string; answers: readonly string[] }>({
    severity: 'notice',
    says: ({ domain, answers }) =>
      `The authoritative name servers for ${domain} serve different versions of its zone (SOA serial numbers: ${answers.join('; ')}).`,
    cites: DISTRIBUTION,
    fix: 'If the difference lasts for hours and a single DNS provider hosts the zone, check the zone transfers to the server that lags behind.',
  }),
  'zone-alias-dangling': rule<{ name: string; target: string }>({
    severity: 'notice',
    says: ({ name, target }) =>
      `${name} is an alias (CNAME) of ${target}, which does not exist, so there is no record at ${name}.`,
    cites: 'RFC 1034 section 3.6.2',
    fix: ({ name, target }) =>
      `Remove the CNAME record at ${name}, or ask the operator of ${target} to publish it again. If customers of a provider can choose that name, another one can choose it, too.`,
    subject: 'name',
  }),
  'zone-server-lame': rule<{ server: string; zone: string; answer: string }>({
    severity: 'warning',
    says: ({ server, zone, answer }) =>
      `The name server ${server} of ${zone} does not answer for the zone (${answer}), while others do: lookups that reach it take longer or fail.`,
    cites: 'RFC 1912 section 2.8',
    fix: ({ server, zone }) =>
      `Have ${server} serve ${zone}, or remove it from the NS records of the zone and from its delegation at the registrar.`,
    subject: 'server',
  }),
  'zone-servers-lame': rule<{ zone: string; answers: readonly string[] }>({
    severity: 'error',
    says: ({ zone, answers }) =>
      `None of the name servers to which ${zone} is delegated answers for it (${answers.join('; ')}): its records are not in DNS, so no mail arrives, and mail from it fails.`,
    cites: 'RFC 1912 section 2.8',
    fix: ({ zone }) =>
      `Have these servers serve ${zone} again, or delegate it to servers that do, at the registrar, with the records that it had. Do it at once: at a DNS provider where customers create zones by themselves, another one can create this one.`,
    subject: 'zone',
  }),
} satisfies Rules;
