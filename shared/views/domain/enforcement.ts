/** The next step of DMARC enforcement of a domain, and a simulation of the records that the visitor tries. */

import type { DomainViewQuery } from '../../api/console-domain.ts';
import type { ReadinessDependencies, SimulationDependencies } from '../../enforcement/dependencies.ts';
import { isDmarcKnown } from '../../enforcement/published-records.ts';
import { recentAssessment } from '../../enforcement/recent-assessment.ts';
import { sendersOf } from '../../enforcement/senders.ts';
import type { Enforcement, Sender, Simulation } from '../../enforcement/shapes.ts';
import { type RecordProblem, simulateRecords } from '../../enforcement/simulate-records.ts';
import { recentDays } from '../../operations/reports/days.ts';
import type { IpData } from '../../protocol/ip-data.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import type { AssessmentStore } from '../../store/enforcement/assessments.ts';
import { type SenderRows, senderRows } from './dmarc.ts';

export interface EnforcementView {
  readonly assessment: Enforcement;
  /** Whether the latest check run found out what the DMARC record is. */
  readonly isRecordKnown: boolean;
  /** ISO 8601: when it was calculated. */
  readonly calculatedAt: string;
  /** The records that the visitor tries; undefined without any. */
  readonly trial?: Trial | undefined;
  /** Senders of the last 30 days without a decision, most messages that fail first. */
  readonly undecided: readonly Sender[];
  /** How many there are. */
  readonly undecidedTotal: number;
  /** Those that were just decided about. */
  readonly decided: readonly Sender[];
  readonly rows: SenderRows;
}

/** As many as a person decides about at once; the list of all senders has the others. */
const MOST_UNDECIDED = 10;

export interface Trial {
  readonly dmarc: string;
  readonly spf: string;
  readonly result: { readonly simulation: Simulation } | { readonly problems: readonly RecordProblem[] };
}

export interface EnforcementViewDependencies extends SimulationDependencies, ReadinessDependencies {
  readonly assessments: AssessmentStore<Enforcement>;
  readonly reportsDomain: string;
  readonly ipData: IpData;
}

export async function enforcementOf(
  domain: Domain,
  query: DomainViewQuery,
  { reportsDomain, ...deps }: EnforcementViewDependencies,
): Promise<EnforcementView> {
  const mailbox = publishedReportAddress(domain, reportsDomain);
  const [{ assessment, calculatedAt }, trial, latest, senders] = await Promise.all([
    recentAssessment({ ...domain, mailbox }, deps),
    trialOf(domain, query, deps),
    deps.checks.latest(domain.id),
    undecidedSenders(domain, query, { reportsDomain, ...deps }),
  ]);
  return { assessment, calculatedAt, trial, isRecordKnown: isDmarcKnown(latest?.results), ...senders };
}

/** What a table that decides about senders shows. */
async function undecidedSenders(
  { id, domain }: Domain,
  { changed }: DomainViewQuery,
  { summaries, decisions, clock, ipData }: EnforcementViewDependencies,
) {
  const now = clock.now();
  const [found, known] = await Promise.all([
    summaries.readSummaries(id, recentDays(now), now),
    decisions.list(id),
  ]);
  const senders = await sendersOf(domain, found, known);
  const open = senders
    .filter(({ status }) => status === null)
    .toSorted((a, b) => b.failedMessages - a.failedMessages);
  const undecided = open.slice(0, MOST_UNDECIDED);
  return {
    ...{ undecided, undecidedTotal: open.length },
    decided: senders.filter((sender) => changed?.some(({ senderId }) => senderId === sender.id)),
    rows: senderRows(domain, undecided, { found, ipData, changed }),
  };
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
