/** The subdomains that reports show as senders, with their own records as DNS has them now, and the policy that applies. */
import type { DomainViewQuery } from '../../api/console-domain.ts';
import type { Days, SimulationDependencies } from '../../enforcement/dependencies.ts';
import { type Subdomain, subdomainsOf } from '../../enforcement/subdomains.ts';
import { Refused } from '../../operations/outcome.ts';
import { daysOf, lastDaysOf } from '../../operations/reports/days.ts';
import { discoverPolicy } from '../../protocol/dmarc/discover.ts';
import { isDmarcRecord, type Policy } from '../../protocol/dmarc/record.ts';
import { type Dns, isNonExistent } from '../../protocol/dns.ts';
import { isSpfRecord } from '../../protocol/spf/record.ts';
import { dayAt } from '../../protocol/time.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { SENDER_DAYS } from './dmarc.ts';
import { withinPatience } from './first-steps.ts';

/** Each costs about eight lookups, most of which others share. */
export const SUBDOMAINS_PER_PAGE = 15;

/** Texts of a kind of record; empty if there is none, and null if the lookup failed. */
type Published = readonly string[] | null;

export interface SubdomainRow extends Subdomain {
  readonly dmarc: Published;
  readonly spf: Published;
  readonly mx: Published;
  /** Whether DNS has the name; null if the lookup failed. */
  readonly exists: boolean | null;
  /** The policy that receivers apply, and where it is from; null if it is not known. Its policy is null if they apply none. */
  readonly policy: {
    readonly policy: Policy | null;
    readonly from: 'own' | 'sp' | 'np' | 'p' | 'none';
  } | null;
}

export interface SubdomainsView {
  readonly days: Days;
  /** The current day, UTC. */
  readonly today: string;
  /** Those of this page. */
  readonly rows: readonly SubdomainRow[];
  readonly total: number;
  readonly page: number;
}

export interface SubdomainsDependencies extends Pick<SimulationDependencies, 'summaries'> {
  readonly dns: Dns;
}

export async function subdomainsView(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  query: DomainViewQuery,
  { summaries, dns }: SubdomainsDependencies,
  now: Date,
): Promise<SubdomainsView | Refused> {
  const wanted = daysOf(query, now);
  if (wanted instanceof Refused) return wanted;
  const days = lastDaysOf(wanted, SENDER_DAYS);
  const found = await summaries.readSummaries(id, days, now);
  const all = subdomainsOf(domain, found);
  const end = query.page * SUBDOMAINS_PER_PAGE;
  const rows = await Promise.all(
    all.slice(end - SUBDOMAINS_PER_PAGE, end).map(async (one): Promise<SubdomainRow> => {
      const [published, policy] = await Promise.all([recordsOf(one.name, dns), policyOf(one.name, dns)]);
      return { ...one, ...published, policy };
    }),
  );
  return { days, today: dayAt(now), rows, total: all.length, page: query.page };
}

type Records = Pick<SubdomainRow, 'dmarc' | 'spf' | 'mx' | 'exists'>;

async function recordsOf(name: string, dns: Dns): Promise<Records> {
  const [dmarc, texts, mx] = await Promise.all([
    withinPatience(dns.lookup(`_dmarc.${name}`, 'TXT')),
    withinPatience(dns.lookup(name, 'TXT')),
    withinPatience(dns.lookup(name, 'MX')),
  ]);
  const found = <T>(answer: { readonly status: string; readonly records?: readonly T[] } | null) =>
    answer === null || answer.status === 'unavailable' ? null : (answer.records ?? []);
  const isKnown = texts !== null && texts.status !== 'unavailable';
  return {
    dmarc: found<string>(dmarc)?.filter(isDmarcRecord) ?? null,
    spf: found<string>(texts)?.filter(isSpfRecord) ?? null,
    mx: found<{ exchange: string }>(mx)?.map(({ exchange }) => exchange) ?? null,
    exists: isKnown ? !isNonExistent(texts) : null,
  };
}

/** What receivers find for a name (RFC 9989 section 4.10). */
async function policyOf(name: string, dns: Dns): Promise<SubdomainRow['policy']> {
  const found = await withinPatience(discoverPolicy(name, dns));
  if (found === null || found.status === 'unavailable') return null;
  if (found.status === 'absent') return { policy: null, from: 'none' };
  const { effectivePolicy: policy, recordDomain, appliedTag, record } = found;
  const inherited = record[appliedTag] === null ? 'p' : appliedTag;
  return { policy, from: recordDomain === name ? 'own' : inherited };
}
