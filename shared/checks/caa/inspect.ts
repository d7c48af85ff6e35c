/** The CAA check: which CAs may issue certificates for a domain, and whether those that its hosts use may (RFC 8659). */
import * as z from 'zod/mini';
import type { CaaRecord, Dns } from '../../protocol/dns.ts';
import { parentName } from '../../protocol/dnssec/canonical.ts';
import { isWithin, organizationalDomain } from '../../protocol/domain-name.ts';
import { caaRules } from '../../protocol/findings/caa.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { outcomeOf } from '../outcome.ts';
import { authorityNames } from './authorities.ts';
import { decidingRecords, issuerDomain, permit, recordText, unknownCriticalTags } from './property.ts';
import { type RelevantRecords, recordFinder } from './relevant-records.ts';
import { type CaaResult, caaResult, type JudgedCertificate } from './result.ts';
import type { ServedCertificate } from './served-certificates.ts';

/** Records to show. A CA reads all of them. */
const MAX_RECORDS = 50;

const raise = raiser(caaRules);

/**
 * Checks the CAA records of `domain` and, once they are known, the certificates that its hosts serve against the records of
 * these hosts. The state is `unknown` if the lookup of the records of the domain failed. Never throws.
 */
export async function inspectCaa(
  domain: string,
  dns: Dns,
  served: Promise<readonly ServedCertificate[]>,
): Promise<CaaResult> {
  const find = recordFinder(dns);
  const [relevant, judged] = await Promise.all([
    find(domain),
    served.then((certificates) => Promise.all(certificates.map((one) => judge(one, domain, find)))),
  ]);
  const findings = [...recordFindings(domain, relevant), ...judged.flatMap(({ finding }) => finding ?? [])];
  return z.parse(caaResult, {
    ...outcomeOf(findings),
    ...(relevant.status === 'found' && {
      records: relevant.records.slice(0, MAX_RECORDS).map(recordText),
      recordsAt: relevant.at,
    }),
    certificates: judged.map(({ certificate }) => certificate),
  });
}

function recordFindings(domain: string, relevant: RelevantRecords): readonly Finding[] {
  if (relevant.status === 'none') return [raise('caa-missing', { domain })];
  const { at: name } = relevant;
  if (relevant.status === 'unavailable')
    return [raise('caa-record-unavailable', { name, reason: relevant.reason })];
  const shown = relevant.records.slice(0, MAX_RECORDS);
  const isMalformed = ({ tag, value }: CaaRecord) =>
    (tag === 'issue' || tag === 'issuewild') && issuerDomain(value) === undefined;
  return [
    ...(relevant.records.some(({ tag }) => tag === 'issue')
      ? []
      : [raise('caa-nothing-restricted', { name })]),
    ...shown
      .filter(isMalformed)
      .map((record) => raise('caa-issuer-malformed', { name, record: recordText(record) })),
    ...unknownCriticalTags(shown).map((tag) => raise('caa-property-critical', { name, tag: excerpt(tag) })),
  ];
}

interface Judged {
  readonly certificate: JudgedCertificate;
  readonly finding?: Finding;
}

/** Whether the CA of a certificate could issue it again. Of a CA that is not known here, nothing is said. */
async function judge(
  { host, issuer, isWildcard }: ServedCertificate,
  domain: string,
  find: (name: string) => Promise<RelevantRecords>,
): Promise<Judged> {
  // For *.example.org, CAs look up example.org.
  const relevant = await find(isWildcard ? parentName(host) : host);
  const names = issuer === null ? undefined : authorityNames(issuer);
  const judged = { host, issuer, recordsAt: relevant.status === 'found' ? relevant.at : null };
  const unknown = { certificate: { ...judged, permitted: null } };
  if (relevant.status === 'unavailable')
    return {
      ...unknown,
      finding: raise('caa-host-unavailable', { host, name: relevant.at, reason: relevant.reason }),
    };
  if (issuer === null || names === undefined) return unknown;
  const records = relevant.status === 'found' ? relevant.records : [];
  const deciding = decidingRecords(records, { isWildcard });
  if (unknownCriticalTags(records).length > 0) return unknown;
  if (relevant.status === 'none' || permit(deciding, names))
    return { certificate: { ...judged, permitted: true } };
  const name = relevant.at;
  const [ca = ''] = names;
  const finding = isWithin(name, organizationalDomain(domain))
    ? raise('caa-issuer-forbidden', { host, issuer, ca, name, property: deciding[0]?.tag ?? 'issue' })
    : raise('caa-issuer-forbidden-elsewhere', { host, issuer, name });
  return { certificate: { ...judged, permitted: false }, finding };
}
