/** Simulations as users ask for them: texts of records in, figures out. */

import { parseDmarcRecord } from '../protocol/dmarc/record.ts';
import { isNonExistent } from '../protocol/dns.ts';
import { isWithin } from '../protocol/domain-name.ts';
import { dmarcRules } from '../protocol/findings/dmarc.ts';
import { messageOf } from '../protocol/findings/finding.ts';
import { spfRules } from '../protocol/findings/spf.ts';
import { isSpfRecord } from '../protocol/spf/record.ts';
import { daysBefore } from '../reports/day.ts';
import type { SenderDecisions } from '../store/enforcement/decisions.ts';
import type { Days, ReportDays, SimulationDependencies } from './dependencies.ts';
import { WINDOW_DAYS } from './policy-history.ts';
import type { PolicyTerms } from './policy-terms.ts';
import { isDmarcKnown, type PublishedRecords, publishedRecords, termsOfText } from './published-records.ts';
import type { Simulation } from './shapes.ts';
import { simulate } from './simulate.ts';
import { spfPredictor } from './spf-prediction.ts';

interface ProposedRecords {
  /** Absent: the record stays as it is. */
  readonly dmarc?: string | undefined;
  readonly spf?: string | undefined;
}

/** Why a proposed record cannot be simulated. */
export interface RecordProblem {
  readonly record: 'dmarc' | 'spf';
  readonly message: string;
}

/** The subdomains that are looked up where their existence matters, those with most messages first. */
const LOOKED_UP_SUBDOMAINS = 100;

/** Simulates proposed records on the reports of `days`; returns the problems of records that do not parse. */
export async function simulateRecords(
  { id, domain }: { readonly id: string; readonly domain: string },
  { proposed, days }: { readonly proposed: ProposedRecords; readonly days: Days },
  deps: SimulationDependencies,
): Promise<{ simulation: Simulation } | { problems: readonly RecordProblem[] }> {
  const problems = recordProblems(proposed);
  if (problems.length > 0) return { problems };
  const now = deps.clock.now();
  const [decisions, checks] = await Promise.all([deps.decisions.list(id), deps.checks.latest(id)]);
  const newest = { from: later(days.from, daysBefore(days.to, WINDOW_DAYS)), to: days.to };
  const recent = isDmarcKnown(checks?.results) ? [] : await deps.summaries.readSummaries(id, newest, now);
  const published = publishedRecords(domain, checks?.results, recent);
  const reports = () => deps.summaries.eachDay(id, days, now);
  return simulateSummaries(domain, { proposed, days, reports, decisions, published }, deps);
}

const later = (a: string, b: string): string => (a > b ? a : b);

export interface Replay {
  readonly proposed: ProposedRecords;
  readonly days: Days;
  /** The reports of these days; called for each pass over them. */
  readonly reports: () => ReportDays;
  readonly decisions: SenderDecisions;
  readonly published: PublishedRecords;
}

/** Why proposed records cannot be simulated, as far as their texts say. */
export function recordProblems({ dmarc, spf }: ProposedRecords): readonly RecordProblem[] {
  const problems = dmarcProblems(dmarc);
  if (spf !== undefined && !isSpfRecord(spf))
    problems.push({ record: 'spf', message: 'must start with "v=spf1", followed by a space' });
  return problems;
}

/** Simulates proposed records without such problems on these summaries. */
export async function simulateSummaries(
  domain: string,
  { proposed, days, reports, decisions, published }: Replay,
  { dns, clock }: Pick<SimulationDependencies, 'dns' | 'clock'>,
): Promise<{ simulation: Simulation } | { problems: readonly RecordProblem[] }> {
  const now = clock.now();
  const terms = proposed.dmarc === undefined ? published.terms : termsOfText(proposed.dmarc, domain, domain);
  const isNewSpf = proposed.spf !== undefined && proposed.spf !== published.spf;
  const [current, next, existing] = await Promise.all([
    isNewSpf && typeof published.spf === 'string'
      ? spfPredictor(domain, published.spf, { dns, isProposal: false, now })
      : null,
    isNewSpf && proposed.spf !== undefined
      ? spfPredictor(domain, proposed.spf, { dns, isProposal: true, now })
      : null,
    existingSubdomains(domain, reports, { terms: [published.terms, terms], dns }),
  ]);
  const faults =
    next?.expansion.findings.filter(
      (finding) => finding.id === 'spf-syntax' && finding.arguments.domain === domain,
    ) ?? [];
  if (faults.length > 0) {
    return {
      problems: faults.map((finding) => ({ record: 'spf', message: messageOf(finding, spfRules) })),
    };
  }
  return {
    simulation: await simulate(reports(), {
      domain,
      window: days,
      decisions,
      current: { dmarc: published.dmarc.text, spf: published.spf ?? null, terms: published.terms },
      proposed: {
        dmarc: proposed.dmarc ?? published.dmarc.text,
        spf: proposed.spf ?? published.spf ?? null,
        terms,
      },
      spf:
        next === null ? null : { current: current?.predict ?? noRecord(published), proposed: next.predict },
      exists: (subdomain) => existing.get(subdomain) ?? null,
    }),
  };
}

/** Without a record, SPF is `none` for every address; unknown if the record is. */
function noRecord({ spf }: PublishedRecords) {
  return spf === null ? async () => ({ result: 'none' as const }) : null;
}

function dmarcProblems(text: string | undefined): RecordProblem[] {
  if (text === undefined) return [];
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) return [{ record: 'dmarc', message: 'must start with "v=DMARC1;"' }];
  return parsed.findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => ({ record: 'dmarc', message: messageOf(finding, dmarcRules) }));
}

/** Whether the largest subdomains exist, if `sp` and `np` differ (RFC 9989 section 4.7); null after a failed lookup. */
async function existingSubdomains(
  domain: string,
  reports: () => ReportDays,
  { terms, dns }: { terms: readonly PolicyTerms[]; dns: SimulationDependencies['dns'] },
): Promise<ReadonlyMap<string, boolean | null>> {
  if (terms.every(({ policies }) => policies?.sp === policies?.np)) return new Map();
  const messages = new Map<string, number>();
  for await (const { summaries } of reports()) {
    for (const { headerFrom, count } of summaries.flatMap(({ records }) => records)) {
      if (headerFrom === null || headerFrom === domain || !isWithin(headerFrom, domain)) continue;
      messages.set(headerFrom, (messages.get(headerFrom) ?? 0) + count);
    }
  }
  const largest = [...messages].toSorted(([, a], [, b]) => b - a).slice(0, LOOKED_UP_SUBDOMAINS);
  const found = await Promise.all(
    largest.map(async ([name]) => {
      const answer = await dns.lookup(name, 'MX');
      return [name, answer.status === 'unavailable' ? null : !isNonExistent(answer)] as const;
    }),
  );
  return new Map(found);
}
