/** The subdomains that reports show as senders, with their own records as DNS has them now, and the policy that applies. */
import type { DomainViewQuery } from '../../api/console-domain.ts';
import type { Days, SimulationDependencies } from '../../enforcement/dependencies.ts';
import { type Subdomain, subdomainsOf } from '../../enforcement/subdomains.ts';
import { Refused } from '../../operations/outcome.ts';
import { daysOf } from '../../operations/reports/days.ts';
import { isDmarcRecord, parseDmarcRecord } from '../../protocol/dmarc/record.ts';
import { type Dns, isNonExistent } from '../../protocol/dns.ts';
import { isSpfRecord } from '../../protocol/spf/record.ts';
import { daysBefore } from '../../reports/day.ts';
import type { CheckStore } from '../../store/check-runs/checks.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { withinPatience } from './first-steps.ts';

/** Each costs three lookups. */
export const SUBDOMAINS_PER_PAGE = 15;
/** As for senders: grouping the mail of a year takes too long for a page. */
const MOST_DAYS = 92;

/** Texts of a kind of record; empty if there is none, and null if the lookup failed. */
type Published = readonly string[] | null;

export interface SubdomainRow extends Subdomain {
  readonly dmarc: Published;
  readonly spf: Published;
  readonly mx: Published;
  /** Whether DNS has the name; null if the lookup failed. */
  readonly exists: boolean | null;
  /** The policy that receivers apply, and where it is from; null if it is not known. */
  readonly policy: { readonly policy: string; readonly from: 'own' | 'sp' | 'np' | 'p' } | null;
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
  readonly checks: Pick<CheckStore, 'latest'>;
  readonly dns: Dns;
}

export async function subdomainsView(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  query: DomainViewQuery,
  { summaries, checks, dns }: SubdomainsDependencies,
  now: Date,
): Promise<SubdomainsView | Refused> {
  const wanted = daysOf(query, now);
  if (wanted instanceof Refused) return wanted;
  const earliest = daysBefore(wanted.to, MOST_DAYS - 1);
  const days = { from: earliest > wanted.from ? earliest : wanted.from, to: wanted.to };
  const [found, latest] = await Promise.all([summaries.readSummaries(id, days, now), checks.latest(id)]);
  const all = subdomainsOf(domain, found);
  const end = query.page * SUBDOMAINS_PER_PAGE;
  const parent = latest?.results.dmarc;
  const rows = await Promise.all(
    all.slice(end - SUBDOMAINS_PER_PAGE, end).map(async (one): Promise<SubdomainRow> => {
      const published = await recordsOf(one.name, dns);
      return { ...one, ...published, policy: policyFor(published, parent) };
    }),
  );
  return { days, today: now.toISOString().slice(0, 10), rows, total: all.length, page: query.page };
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

interface ParentPolicy {
  readonly state: string;
  readonly policy: string | null;
  readonly subdomainPolicy: string | null;
  readonly nonexistentSubdomainPolicy: string | null;
}

/** RFC 9989 section 4.10: a record of its own, or else `np`, `sp` or `p` of the domain. */
function policyFor({ dmarc, exists }: Records, parent: ParentPolicy | undefined): SubdomainRow['policy'] {
  if (dmarc === null) return null;
  const [own, ...others] = dmarc;
  if (own !== undefined && others.length === 0) {
    const parsed = parseDmarcRecord(own);
    return parsed.ok && parsed.record.p !== null ? { policy: parsed.record.p, from: 'own' } : null;
  }
  if (own !== undefined || exists === null || parent === undefined || parent.state === 'unknown') return null;
  const { policy: p, subdomainPolicy: sp, nonexistentSubdomainPolicy: np } = parent;
  if (!exists && np !== null) return { policy: np, from: 'np' };
  if (sp !== null) return { policy: sp, from: 'sp' };
  return p === null ? null : { policy: p, from: 'p' };
}
