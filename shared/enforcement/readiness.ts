/** Whether a domain is ready for the next step of enforcement, and what stands between it and p=reject. */
import { sendsMail, type UsageType } from '../checks/state.ts';
import { formatNumber } from '../protocol/quantity.ts';
import { daysBetween } from '../reports/day.ts';
import { blockersOf } from './blockers.ts';
import type { Measures } from './measures.ts';
import { WINDOW_DAYS } from './policy-history.ts';
import type { PublishedNow } from './published-records.ts';
import {
  failingSeasonal,
  judgedShares,
  lowestOf,
  ownMessages,
  type SenderShare,
  undecidedSenders,
} from './sender-rules.ts';
import { percentage } from './senders.ts';
import type { Enforcement, EnforcementRule, RuleMeasure, Stage } from './shapes.ts';
import type { Step } from './stage.ts';
import { MIN_MESSAGES, type Thresholds, thresholds, UNDECIDED_SHARE } from './thresholds.ts';

interface Attested {
  readonly volume: boolean;
  readonly seasonalSenders: boolean;
  readonly forwardingLoss: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  readonly thin: boolean;
  readonly rule: readonly EnforcementRule[];
  readonly blockers: Enforcement['blockers'];
}

interface ReadinessInput {
  readonly stage: Stage;
  /** The next step; undefined at the last stage, and before the first report can arrive. */
  readonly step: Step | undefined;
  readonly usageType: UsageType;
  readonly measures: Measures;
  /** Complete days at the published policy. */
  readonly policyDays: number;
  readonly published: PublishedNow;
  readonly attested: Attested;
  /** The current day, UTC. */
  readonly today: string;
}

/** A domain that sends no mail is ready for p=reject, unless authenticated reports show aligned mail. */
export function canRejectAtOnce(usageType: UsageType, { aligned }: Measures): boolean {
  return !sendsMail(usageType) && aligned === 0;
}

export function readinessOf(input: ReadinessInput): Readiness {
  const { stage, step, usageType, measures, published, attested } = input;
  const blockers = canRejectAtOnce(usageType, measures) ? [] : blockersOf(measures, published);
  if (stage === 'reject') return { ready: true, thin: false, rule: [], blockers };
  if (canRejectAtOnce(usageType, measures)) {
    const rule = complete({
      id: 'no-mail',
      name: 'Sends no mail',
      required: 'no authenticated mail in 400 days',
      actual: 'none',
      measures: [atMost('authenticatedMessages', 'messages', 0, measures.aligned)],
      holds: true,
    });
    return { ready: true, thin: false, rule: [rule], blockers };
  }
  if (step === undefined) {
    // Monitoring loses no mail, but it would replace a stronger record that a lookup did not find.
    const isKnown = published.hasReportAddress !== null;
    return { ready: isKnown, thin: false, rule: isKnown ? [] : [unknownRecord], blockers };
  }
  const rule = rulesOf(step, input);
  const counted = rulesOf(step, { ...input, attested: { ...attested, volume: false } });
  return {
    ready: rule.every(({ holds }) => holds),
    thin: counted.some(({ holds }, at) => holds !== rule[at]?.holds),
    rule,
    blockers,
  };
}

const PUBLISHED_NOW = 'Records published now';
const DMARC_UNKNOWN = 'the DMARC record is unknown';

const unknownRecord: EnforcementRule = {
  id: 'record-known',
  measured: false,
  advisory: false,
  name: PUBLISHED_NOW,
  required: 'the DMARC record is known',
  actual: DMARC_UNKNOWN,
  measures: [],
  attested: false,
  holds: false,
};

/** A rule before it is known whether its owner attested it; by default, it was measured and has to hold. */
type Rule = Omit<EnforcementRule, 'attested' | 'measured' | 'advisory'> &
  Partial<Pick<EnforcementRule, 'measured' | 'advisory'>>;

const complete = (rule: Rule, attested = false): EnforcementRule => ({
  ...{ measured: true, advisory: false },
  ...rule,
  attested,
});

const atLeast = (
  measure: RuleMeasure['measure'],
  unit: RuleMeasure['unit'],
  least: number | null,
  actual: number | null,
): RuleMeasure => ({ measure, unit, atLeast: least, atMost: null, actual });

const atMost = (
  measure: RuleMeasure['measure'],
  unit: RuleMeasure['unit'],
  most: number | null,
  actual: number | null,
): RuleMeasure => ({ measure, unit, atLeast: null, atMost: most, actual });

/** A share that is not limited. */
const unlessAll = (share: number): number | null => (share === 100 ? null : share);

function rulesOf(
  step: Step,
  { measures, policyDays, published, attested, today }: ReadinessInput,
): EnforcementRule[] {
  const limit = thresholds[step];
  const { messages } = ownMessages(measures, 'all');
  const [reporterShare, reporters] = reporterFigures(measures);
  const undecided = undecidedSenders(measures, published);
  const seasonal = failingSeasonal(measures, published, limit);
  const historyDays = measures.since === null ? 0 : daysBetween(measures.since, today) + 1;
  const loss = percentage(measures.forwardedFailed, measures.forwarded + messages) ?? 0;
  const problems = problemsOf(published, measures);
  const hasReports = measures.since !== null;
  const rules: readonly (Rule & { readonly isAttested?: boolean })[] = [
    {
      id: 'policy-days',
      name: 'Time at the present policy',
      required: `${limit.policyDays} days${step === 'reject' ? ' at quarantine' : ''}`,
      actual: `${policyDays} days`,
      measures: [atLeast('policyDays', 'days', limit.policyDays, policyDays)],
      holds: policyDays >= limit.policyDays,
    },
    {
      isAttested: attested.volume,
      id: 'report-days',
      name: 'Days with reports',
      required: `${limit.reportDays} of ${WINDOW_DAYS}`,
      actual: `${measures.reportDays}`,
      measures: [atLeast('reportDays', 'days', limit.reportDays, measures.reportDays)],
      holds: measures.reportDays >= limit.reportDays,
    },
    {
      isAttested: attested.volume,
      id: 'reporters',
      name: 'Receivers whose reports we could authenticate',
      required: `${limit.reporters}, one of Google, Microsoft and Yahoo${limit.reporterShare < 100 ? `, none above ${limit.reporterShare} % of messages` : ''}`,
      actual: reporters === 0 ? 'none' : `${reporters}, largest share ${reporterShare} %`,
      measures: [
        atLeast('reporters', 'items', limit.reporters, reporters),
        atLeast('largeReceivers', 'items', 1, measures.hasLargeReceiver ? 1 : 0),
        atMost('largestReporterShare', 'percent', unlessAll(limit.reporterShare), reporterShare),
      ],
      holds:
        reporters >= limit.reporters && measures.hasLargeReceiver && reporterShare <= limit.reporterShare,
    },
    {
      isAttested: attested.volume && messages > 0,
      id: 'approved-messages',
      name: 'Messages of approved senders',
      required: `${formatNumber(limit.approvedMessages)}, with those that pass and need no decision`,
      actual: formatNumber(messages),
      measures: [atLeast('approvedMessages', 'messages', limit.approvedMessages, messages)],
      holds: messages >= limit.approvedMessages,
    },
    passRule(limit, measures),
    dkimRule(limit, measures),
    {
      id: 'undecided-senders',
      name: 'Senders without a decision that look legitimate',
      required: `none with more than ${MIN_MESSAGES} failing messages and ${UNDECIDED_SHARE} % of the messages of the domain`,
      actual: undecided.length === 0 ? 'none' : list(undecided.map(({ group }) => group.name)),
      measures: [atMost('undecidedSenders', 'items', 0, undecided.length)],
      holds: undecided.length === 0,
      measured: hasReports,
    },
    {
      isAttested: attested.seasonalSenders && seasonal.length === 0,
      id: 'seasonal-senders',
      name: 'Seasonal senders',
      required: `passed when last active${limit.historyDays > 0 ? `, history of ${limit.historyDays} days` : ''}`,
      actual:
        seasonal.length > 0
          ? `failed: ${list(seasonal.map(({ sender }) => sender.group.name))}`
          : `passed, history of ${historyDays} days`,
      measures: [
        atMost('failingSeasonalSenders', 'items', 0, seasonal.length),
        atLeast('historyDays', 'days', limit.historyDays === 0 ? null : limit.historyDays, historyDays),
      ],
      holds: seasonal.length === 0 && historyDays >= limit.historyDays,
      measured: hasReports,
    },
    {
      isAttested: attested.forwardingLoss,
      id: 'forwarding-loss',
      name: 'Approved mail lost to forwarders and lists',
      required: limit.forwardingLoss === 100 ? 'for information' : `at most ${limit.forwardingLoss} %`,
      actual: `${loss} %`,
      measures: [atMost('forwardingLoss', 'percent', unlessAll(limit.forwardingLoss), loss)],
      holds: loss <= limit.forwardingLoss,
      measured: measures.forwarded + messages > 0,
      advisory: limit.forwardingLoss === 100,
    },
    {
      id: 'published-records',
      name: PUBLISHED_NOW,
      required: 'SPF without permerror, valid DKIM keys, a rua address that reports reach',
      actual: problems.length === 0 ? 'as required' : list(problems),
      measures: [atMost('recordProblems', 'items', 0, problems.length)],
      holds: problems.length === 0,
    },
  ];
  return rules.map(({ isAttested = false, ...rule }) => orAttested(isAttested, rule));
}

/**
 * In all reports, and where there are enough, in those of large receivers: the owner of any domain can send authenticated
 * reports, but not theirs. Without approved mail, the owner did not look at the senders yet.
 */
function passRule(limit: Thresholds, measures: Measures): Rule {
  const hasApproved = measures.senders.some(({ all }) => all.approved > 0);
  const atLarge = ownMessages(measures, 'atLarge');
  const views = [
    ownMessages(measures, 'all'),
    ...(atLarge.messages >= limit.approvedMessages ? [atLarge] : []),
  ];
  const share = Math.min(...views.map(({ passed, messages }) => percentage(passed, messages) ?? 0));
  const worst = lowestOf(judgedShares(measures.senders, 'approvedPassed'));
  return {
    id: 'approved-pass',
    name: 'Approved mail that passes',
    required: `${limit.approvedShare} %, each sender ${limit.senderShare} %`,
    actual: hasApproved ? `${share} %${named(worst)}` : 'no approved mail',
    measures: [
      atLeast('approvedPassed', 'percent', limit.approvedShare, hasApproved ? share : null),
      atLeast('lowestSenderPassed', 'percent', limit.senderShare, worst?.share ?? null),
    ],
    holds: hasApproved && share >= limit.approvedShare && (worst?.share ?? 100) >= limit.senderShare,
    measured: hasApproved,
  };
}

function dkimRule(limit: Thresholds, measures: Measures): Rule {
  const worst = lowestOf(judgedShares(measures.senders, 'approvedDkim'));
  return {
    id: 'approved-dkim',
    name: 'Aligned DKIM of approved senders',
    required:
      limit.dkimShare === 0 ? 'recommended: 95 % of each sender' : `${limit.dkimShare} % of each sender`,
    actual: worst === undefined ? 'not enough approved mail' : `${worst.share} %${named(worst)}`,
    measures: [
      atLeast(
        'lowestSenderDkim',
        'percent',
        limit.dkimShare === 0 ? null : limit.dkimShare,
        worst?.share ?? null,
      ),
    ],
    holds: (worst?.share ?? 100) >= limit.dkimShare,
    measured: worst !== undefined,
    advisory: limit.dkimShare === 0,
  };
}

/** What is wrong with the published records, whatever the reports say. */
export const problemsOf = (
  published: PublishedNow,
  { signsAsDomain }: Pick<Measures, 'signsAsDomain'>,
): readonly string[] => [
  ...(published.spfIsPermerror === true ? ['SPF is a permerror'] : []),
  ...(published.spfIsPermerror === null ? ['the SPF record is unknown'] : []),
  ...(published.hasReportAddress === false ? ['no rua address that reports reach'] : []),
  ...(published.hasReportAddress === null ? [DMARC_UNKNOWN] : []),
  ...(signsAsDomain && published.hasUsableKey === false ? ['no valid DKIM key'] : []),
  ...(signsAsDomain && published.hasUsableKey === null ? ['the DKIM keys are unknown'] : []),
  ...published.brokenKeys.map((selector) => `the DKIM key ${selector} is in use, and not valid`),
];

function orAttested(isAttested: boolean, rule: Rule): EnforcementRule {
  if (rule.holds || !isAttested) return complete(rule);
  return complete({ ...rule, actual: `${rule.actual} (attested)`, holds: true }, true);
}

const named = (worst: SenderShare | undefined): string =>
  worst === undefined || worst.share === 100 ? '' : `, lowest ${worst.sender.group.name} ${worst.share} %`;

function list(names: readonly string[]): string {
  const [first, second, third, ...more] = names;
  const shown = [first, second, third].filter((name) => name !== undefined).join(', ');
  return more.length === 0 ? shown : `${shown}, and ${more.length} more`;
}

function reporterFigures({ reporters }: Measures): readonly [largestShare: number, number: number] {
  const counts = [...reporters.values()];
  const total = counts.reduce((all, messages) => all + messages, 0);
  return [percentage(Math.max(0, ...counts), total) ?? 0, counts.length];
}
