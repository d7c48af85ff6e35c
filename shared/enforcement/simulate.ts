/**
 * Replays records against the messages of stored reports: what the current and the proposed records ask receivers to do
 * with each of them. A receiver may do less than a policy asks for, and many send no reports, so the figures for
 * quarantine and reject are upper bounds for the messages that reports show.
 */

import type { Policy } from '../protocol/dmarc/record.ts';
import { isWithin } from '../protocol/domain-name.ts';
import type { RecordSummary, ReportSummary } from '../reports/dmarc/summary/shapes.ts';
import type { SenderDecisions } from '../store/enforcement/decisions.ts';
import { alignments } from './alignment.ts';
import type { ReportDays } from './dependencies.ts';
import {
  appliedPolicy,
  legacyShares,
  type PolicyTag,
  type PolicyTerms,
  termsOfReport,
} from './policy-terms.ts';
import { percentage, type SenderGroup, senderGroups, statusAbout } from './senders.ts';
import type {
  ChangeReason,
  Dispositions,
  SimulatedSender,
  Simulation,
  SimulationSummary,
  UnpredictableReason,
} from './shapes.ts';
import type { SpfPrediction, SpfPredictor } from './spf-prediction.ts';

interface SimulatedRecords {
  /** The texts of the records, for the answer; null if there is none. */
  readonly dmarc: string | null;
  readonly spf: string | null;
  readonly terms: PolicyTerms;
}

export interface SimulationRequest {
  readonly domain: string;
  /** Days such as `2026-01-31`. */
  readonly window: { readonly from: string; readonly to: string };
  readonly decisions: SenderDecisions;
  readonly current: SimulatedRecords;
  readonly proposed: SimulatedRecords;
  /**
   * Predictors of the current and the proposed SPF record, if the proposal changes it; `current` is null if the current
   * record is unknown.
   */
  readonly spf: {
    readonly current: SpfPredictor['predict'] | null;
    readonly proposed: SpfPredictor['predict'];
  } | null;
  /** Whether a subdomain exists, which decides between `sp` and `np`; null if that is unknown. */
  readonly exists: (subdomain: string) => boolean | null;
}

/** The senders that an answer lists. */
const MAX_SENDERS = 100;

/** What a record asks for with one kind of messages. */
interface Verdict {
  readonly passes: boolean;
  readonly dkim: boolean;
  readonly spf: boolean;
  readonly policy: Policy;
}

/** The figures of a group of messages. */
interface Figures {
  messages: number;
  passing: { current: number; proposed: number };
  current: Dispositions;
  proposed: Dispositions;
  unpredictable: number;
}

interface SenderFigures extends Figures {
  readonly group: SenderGroup;
  changed: number;
  readonly reasons: Set<ChangeReason>;
}

/** Simulates the proposed records on the messages of `days`. Each message counts once in each figure. */
export async function simulate(days: ReportDays, request: SimulationRequest): Promise<Simulation> {
  const { domain, window, decisions, current, proposed } = request;
  const { groupOf, statusOf } = senderGroups(domain);
  const judge = judgeOf(request);
  const total = { ...noFigures(), observed: noDispositions() };
  const approved = { messages: 0, lost: { current: 0, proposed: 0 } };
  const legacy = { messages: 0, quarantine: 0, reject: 0 };
  const senders = new Map<string, SenderFigures>();
  const unpredictable = new Map<UnpredictableReason, number>();
  const basis = { reports: 0, authenticated: 0, days: 0, reporters: new Set<string | null>() };

  for await (const { summaries } of days) {
    if (summaries.length > 0) basis.days += 1;
    for (const report of summaries) {
      basis.reports += report.reports;
      basis.reporters.add(report.reporter);
      for (const record of report.records) {
        const group = groupOf(record);
        const sender = senders.get(group.id) ?? { ...noFigures(), group, changed: 0, reasons: new Set() };
        senders.set(group.id, sender);
        const pending = judge(report, record);
        const judged = pending instanceof Promise ? await pending : pending;
        for (const figures of [total, sender]) addTo(figures, record.count, judged);
        total.observed[record.disposition] += record.count;
        if (report.authenticated === true) basis.authenticated += record.count;
        if (statusOf(record, group, decisions) === 'approved') {
          approved.messages += record.count;
          if (judged.current.policy !== 'none') approved.lost.current += record.count;
          if (judged.proposed.policy !== 'none') approved.lost.proposed += record.count;
        }
        if (report.specification === 'RFC 7489') addLegacy(legacy, record.count, judged);
        addChange(sender, record.count, judged);
        if (judged.unpredictable !== null) {
          const before = unpredictable.get(judged.unpredictable) ?? 0;
          unpredictable.set(judged.unpredictable, before + record.count);
        }
      }
    }
  }

  const ordered = [...senders.values()].toSorted(
    (a, b) => b.changed - a.changed || b.messages - a.messages || (a.group.id < b.group.id ? -1 : 1),
  );
  const rest = ordered.slice(MAX_SENDERS).reduce(sumOf, noFigures());
  return {
    startDate: window.from,
    endDate: window.to,
    current: { dmarc: current.dmarc, spf: current.spf },
    proposed: { dmarc: proposed.dmarc, spf: proposed.spf },
    summary: { ...total, approved, legacy: shownLegacy(legacy) },
    senders: ordered.slice(0, MAX_SENDERS).map((sender) => shown(sender, decisions)),
    others: rest,
    basis: {
      reports: basis.reports,
      reporters: basis.reporters.size,
      messages: total.messages,
      days: basis.days,
      authenticatedShare: percentage(basis.authenticated, total.messages),
    },
    unpredictable: [...unpredictable]
      .map(([reason, messages]) => ({ reason, messages }))
      .toSorted((a, b) => b.messages - a.messages),
  };
}

export interface Judged {
  readonly current: Verdict;
  readonly proposed: Verdict;
  /** The shares of these messages that receivers following RFC 7489 quarantine and reject under the proposal. */
  readonly legacy: { readonly quarantine: number; readonly reject: number };
  readonly spfChanged: boolean;
  readonly unpredictable: UnpredictableReason | null;
}

/** A promise only for the first message of an address, whose SPF result is predicted. */
export type Judge = (report: ReportSummary, record: RecordSummary) => Judged | Promise<Judged>;

/** Judges messages under the current and the proposed records of a request. */
function judgeOf({ domain, current, proposed, spf, exists }: SimulationRequest): Judge {
  const alignment = alignments();
  const tagOf = (headerFrom: string | null): PolicyTag | 'unknown' => {
    if (headerFrom === null || headerFrom === domain || !isWithin(headerFrom, domain)) return 'p';
    const known = [current, proposed].some(({ terms }) => terms.policies?.sp !== terms.policies?.np)
      ? exists(headerFrom)
      : true;
    return known === null ? 'unknown' : known ? 'sp' : 'np';
  };

  return (report, record) => {
    const change = spfChange(record);
    return change instanceof Promise
      ? change.then((settled) => judged(report, record, settled))
      : judged(report, record, change);
  };

  function judged(report: ReportSummary, record: RecordSummary, change: SpfChange): Judged {
    // A subdomain with a record of its own keeps it.
    const ownTerms =
      report.policy !== null && report.policy.domain !== domain && isWithin(report.policy.domain, domain)
        ? termsOfReport(report.policy)
        : undefined;
    const known = ownTerms === undefined ? tagOf(record.headerFrom) : ownTag(report, record);
    const tag = known === 'unknown' ? 'sp' : known;
    const reported = report.policy ?? current.terms;
    const verdict = (terms: PolicyTerms, spfPasses: boolean | null): Verdict => {
      const dkim = alignment.dkim(record, reported.adkim, terms.adkim);
      const spfResult = alignment.spf(record, reported.aspf, terms.aspf, spfPasses);
      const passes = dkim || spfResult;
      return { passes, dkim, spf: spfResult, policy: passes ? 'none' : appliedPolicy(terms, tag) };
    };
    const proposedTerms = ownTerms ?? proposed.terms;
    const after = verdict(proposedTerms, change.passes);
    return {
      current: verdict(ownTerms ?? current.terms, null),
      proposed: after,
      legacy: after.passes ? { quarantine: 0, reject: 0 } : legacyShares(proposedTerms, tag),
      spfChanged: change.passes !== null,
      unpredictable: change.unpredictable ?? (known === 'unknown' ? 'subdomain-unknown' : null),
    };
  }

  function spfChange({ mailFrom, sourceIp, spfResult }: RecordSummary): SpfChange | Promise<SpfChange> {
    if (spf === null || mailFrom !== domain) return unchanged;
    if (sourceIp === null) return { ...unchanged, unpredictable: 'no-address' };
    if (spf.current === null) return { ...unchanged, unpredictable: 'spf-unknown' };
    const [before, after] = [spf.current(sourceIp), spf.proposed(sourceIp)];
    if (!(before instanceof Promise) && !(after instanceof Promise))
      return changeOf(before, after, spfResult);
    return Promise.all([before, after]).then(([first, second]) => changeOf(first, second, spfResult));
  }
}

/** Whether the proposed SPF record gives a message another result; null keeps the reported one. */
interface SpfChange {
  readonly passes: boolean | null;
  readonly unpredictable?: UnpredictableReason;
}

const unchanged: SpfChange = { passes: null };

function changeOf(
  before: SpfPrediction,
  after: SpfPrediction,
  reported: RecordSummary['spfResult'],
): SpfChange {
  if ('unpredictable' in before) return { ...unchanged, unpredictable: before.unpredictable };
  if ((before.result === 'pass') !== (reported === 'pass'))
    return { ...unchanged, unpredictable: 'spf-not-explained' };
  if ('unpredictable' in after) return { ...unchanged, unpredictable: after.unpredictable };
  const passes = after.result === 'pass';
  return passes === (before.result === 'pass') ? unchanged : { passes };
}

/** The policy domain of a subdomain with its own record is the top of what the record applies to. */
function ownTag({ policy }: ReportSummary, { headerFrom }: RecordSummary): PolicyTag {
  return headerFrom === null || headerFrom === policy?.domain ? 'p' : 'sp';
}

const noDispositions = (): Dispositions => ({ none: 0, quarantine: 0, reject: 0 });

function noFigures(): Figures {
  return {
    messages: 0,
    passing: { current: 0, proposed: 0 },
    current: noDispositions(),
    proposed: noDispositions(),
    unpredictable: 0,
  };
}

function addTo(figures: Figures, count: number, { current, proposed, unpredictable }: Judged): void {
  figures.messages += count;
  if (current.passes) figures.passing.current += count;
  if (proposed.passes) figures.passing.proposed += count;
  figures.current[current.policy] += count;
  figures.proposed[proposed.policy] += count;
  if (unpredictable !== null) figures.unpredictable += count;
}

/** Summed before rounding, because most rows have few messages. */
function addLegacy(
  legacy: { messages: number; quarantine: number; reject: number },
  count: number,
  judged: Judged,
): void {
  legacy.messages += count;
  legacy.quarantine += count * judged.legacy.quarantine;
  legacy.reject += count * judged.legacy.reject;
}

/** Rounded half up. */
function shownLegacy(legacy: {
  messages: number;
  quarantine: number;
  reject: number;
}): SimulationSummary['legacy'] {
  const reject = Math.round(legacy.reject);
  const quarantine = Math.min(Math.round(legacy.quarantine), legacy.messages - reject);
  return { messages: legacy.messages, none: legacy.messages - quarantine - reject, quarantine, reject };
}

function addChange(sender: SenderFigures, count: number, { current, proposed, spfChanged }: Judged): void {
  if (current.passes === proposed.passes && current.policy === proposed.policy) return;
  sender.changed += count;
  if (current.passes === proposed.passes) sender.reasons.add('policy');
  else {
    if (current.dkim !== proposed.dkim) sender.reasons.add('dkim-alignment');
    if (current.spf !== proposed.spf) sender.reasons.add(spfChanged ? 'spf-record' : 'spf-alignment');
  }
}

function sumOf(a: Figures, b: Figures): Figures {
  const dispositions = (x: Dispositions, y: Dispositions): Dispositions => ({
    none: x.none + y.none,
    quarantine: x.quarantine + y.quarantine,
    reject: x.reject + y.reject,
  });
  return {
    messages: a.messages + b.messages,
    passing: {
      current: a.passing.current + b.passing.current,
      proposed: a.passing.proposed + b.passing.proposed,
    },
    current: dispositions(a.current, b.current),
    proposed: dispositions(a.proposed, b.proposed),
    unpredictable: a.unpredictable + b.unpredictable,
  };
}

function shown(
  { group, reasons, changed: _, ...figures }: SenderFigures,
  decisions: SenderDecisions,
): SimulatedSender {
  return {
    id: group.id,
    name: group.name,
    status: statusAbout(group.id, decisions),
    ...figures,
    reasons: [...reasons],
  };
}
