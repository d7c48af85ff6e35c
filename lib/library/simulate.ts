import { publishedRecords } from '../../shared/enforcement/published-records.ts';
import type { Simulation } from '../../shared/enforcement/shapes.ts';
import {
  type RecordProblem,
  recordProblems,
  simulateSummaries,
} from '../../shared/enforcement/simulate-records.ts';
import { isWithin } from '../../shared/protocol/domain-name.ts';
import type { DaySummary } from '../../shared/reports/dmarc/summary/shapes.ts';
import { summaryOf } from '../../shared/reports/dmarc/summary/summarise.ts';
import { mergeSummaries } from '../../shared/reports/dmarc/summary/sums.ts';
import type { SenderDecisions } from '../../shared/store/enforcement/decisions.ts';
import type { DomainCheck } from './check-domain.ts';
import { domainArgument } from './domain-argument.ts';
import { type NetworkOptions, networkOf } from './network.ts';
import type { DmarcReport } from './parse-dmarc-report.ts';

export interface Proposal {
  readonly domain: string;
  /** The text of the proposed DMARC record; absent: it stays as it is. */
  readonly dmarc?: string;
  /** The text of the proposed SPF record; absent: it stays as it is. */
  readonly spf?: string;
  /** The domain as it is today. Without it, the newest report says what DMARC record is published. */
  readonly check?: Pick<DomainCheck, 'evidence'>;
  /** What you decided about senders, by their ID in `senders` of the result. */
  readonly decisions?: Readonly<Record<string, 'approved' | 'forwarder' | 'unauthorized'>>;
}

/** The simulation, or why a proposed record cannot be simulated. */
export type SimulationOutcome =
  | { readonly simulation: Simulation }
  | { readonly problems: readonly RecordProblem[] };

/**
 * Replays proposed DMARC and SPF records against the messages of reports: how many would pass, and what the records ask
 * receivers to do with the others. Only reports about `domain` and its subdomains count, and each message counts once. Reports can
 * be forged: pass those that you trust.
 * @throws TypeError if `domain` is not the name of a domain.
 */
export async function simulate(
  reports: readonly Pick<DmarcReport, 'report' | 'rows'>[],
  { domain: typed, dmarc, spf, check, decisions: decided = {} }: Proposal,
  options: Pick<NetworkOptions, 'dnsServers'> = {},
): Promise<SimulationOutcome> {
  const domain = domainArgument(typed);
  const problems = recordProblems({ dmarc, spf });
  if (problems.length > 0) return { problems };
  const days = daysOf(reports.filter(({ report }) => isWithin(report.policyDomain, domain)));
  const network = networkOf(options);
  const unknown = { note: null, changedAt: network.clock.now().toISOString(), changedBy: null };
  const decisions: SenderDecisions = new Map(
    Object.entries(decided).map(([senderId, status]) => [senderId, { senderId, status, ...unknown }]),
  );
  return simulateSummaries(
    domain,
    {
      proposed: { dmarc, spf },
      days: { from: days.at(0)?.day ?? '', to: days.at(-1)?.day ?? '' },
      reports: () => days,
      decisions,
      published: publishedRecords(domain, check?.evidence.results, days),
    },
    network,
  );
}

/** The reports by the day on which their period begins, in order. */
function daysOf(reports: readonly Pick<DmarcReport, 'report' | 'rows'>[]): readonly DaySummary[] {
  const byDay = Map.groupBy(reports, ({ report }) => report.dateRangeBegin.slice(0, 10));
  return [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, some]) => ({
      day,
      summaries: mergeSummaries(
        some.map(({ report, rows }) => summaryOf(report, { authenticated: true }, rows)),
      ),
    }));
}
