/** The next step of DMARC enforcement of a domain, and a simulation of the records that the visitor tries. */

import type { DomainViewQuery } from '../../api/console-domain.ts';
import type { ReadinessDependencies, SimulationDependencies } from '../../enforcement/dependencies.ts';
import { isDmarcKnown } from '../../enforcement/published-records.ts';
import { recentAssessment } from '../../enforcement/recent-assessment.ts';
import type { Enforcement, Simulation } from '../../enforcement/shapes.ts';
import { type RecordProblem, simulateRecords } from '../../enforcement/simulate-records.ts';
import { recentDays } from '../../operations/reports/days.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import type { AssessmentStore } from '../../store/enforcement/assessments.ts';

export interface EnforcementView {
  readonly assessment: Enforcement;
  /** Whether the latest check run found out what the DMARC record is. */
  readonly isRecordKnown: boolean;
  /** ISO 8601: when it was calculated. */
  readonly calculatedAt: string;
  /** The records that the visitor tries; undefined without any. */
  readonly trial?: Trial | undefined;
}

export interface Trial {
  readonly dmarc: string;
  readonly spf: string;
  readonly result: { readonly simulation: Simulation } | { readonly problems: readonly RecordProblem[] };
}

export interface EnforcementViewDependencies extends SimulationDependencies, ReadinessDependencies {
  readonly assessments: AssessmentStore<Enforcement>;
  readonly reportsDomain: string;
}

export async function enforcementOf(
  domain: Domain,
  query: DomainViewQuery,
  { reportsDomain, ...deps }: EnforcementViewDependencies,
): Promise<EnforcementView> {
  const mailbox = publishedReportAddress(domain, reportsDomain);
  const [{ assessment, calculatedAt }, trial, latest] = await Promise.all([
    recentAssessment({ ...domain, mailbox }, deps),
    trialOf(domain, query, deps),
    deps.checks.latest(domain.id),
  ]);
  return { assessment, calculatedAt, trial, isRecordKnown: isDmarcKnown(latest?.results) };
}

/** The simulation of the records in the query, on the reports of the last 30 days. */
async function trialOf(
  domain: Domain,
  query: DomainViewQuery,
  deps: SimulationDependencies,
): Promise<EnforcementView['trial']> {
  const [dmarc, spf] = [query.dmarc?.trim() ?? '', query.spf?.trim() ?? ''];
  if (dmarc === '' && spf === '') return undefined;
  const proposed = { ...(dmarc !== '' && { dmarc }), ...(spf !== '' && { spf }) };
  const days = recentDays(deps.clock.now());
  return { dmarc, spf, result: await simulateRecords(domain, { proposed, days }, deps) };
}
