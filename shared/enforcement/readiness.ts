/** Whether a domain is ready for the next step of enforcement, and what stands between it and p=reject. */
import type { UsageType } from '../checks/state.ts';
import { daysBefore, daysBetween } from '../reports/day.ts';
import type { Measures, SenderMeasures } from './measures.ts';
import { WINDOW_DAYS } from './measures.ts';
import { percentage } from './senders.ts';
import type { Enforcement, EnforcementRule, Stage } from './shapes.ts';

/** What the checks and DNS say today. */
export interface PublishedNow {
  /** Whether a usable record names an address for aggregate reports; null if the DMARC record is unknown. */
  readonly hasReportAddress: boolean | null;
  /** The SPF record is a permerror; null if the record is unknown. */
  readonly spfIsPermerror: boolean | null;
  /** DKIM keys that the latest check found to be broken or revoked. */
  readonly brokenKeys: readonly string[];
  /** Whether an address is authorized by the SPF record, or is in the network of an MX host. */
  readonly isAuthorized: (address: string) => boolean;
  readonly isInMxNetwork: (address: string) => boolean;
}

export interface Attested {
  readonly volume: boolean;
  readonly seasonalSenders: boolean;
  readonly forwardingLoss: boolean;
}

/** The thresholds of both steps. Percentages are of messages in the 30-day window. */
export const thresholds = {
  quarantine: {
    policyDays: 30,
    reportDays: 21,
    reporters: 3,
    reporterShare: 100,
    approvedMessages: 300,
    approvedShare: 98,
    senderShare: 95,
    dkimShare: 0,
    unclassifiedMessages: 10,
    historyDays: 0,
    forwardingLoss: 100,
  },
  reject: {
    policyDays: 30,
    reportDays: 21,
    reporters: 3,
    reporterShare: 90,
    approvedMessages: 1000,
    approvedShare: 99.5,
    senderShare: 98,
    dkimShare: 95,
    unclassifiedMessages: 10,
    historyDays: 400,
    forwardingLoss: 0.5,
  },
} as const;

type Step = keyof typeof thresholds;

/** The receivers with the most mailboxes; reports without one of them say little. */
const LARGE_RECEIVERS = /google|gmail|microsoft|outlook|yahoo/i;
/** Days with messages in two months that make a sender regular. */
const REGULAR_DAYS = 3;

export interface Readiness {
  readonly ready: boolean;
  readonly thin: boolean;
  readonly rule: readonly EnforcementRule[];
  readonly blockers: Enforcement['blockers'];
}

export interface ReadinessInput {
  readonly stage: Stage;
  readonly usageType: UsageType;
  readonly measures: Measures;
  readonly published: PublishedNow;
  readonly attested: Attested;
  /** The current day, UTC. */
  readonly today: string;
}

/** The step after a stage; undefined at the last one, and before the first report can arrive. */
export const stepAfter = (stage: Stage): Step | undefined =>
  stage === 'monitoring' ? 'quarantine' : stage === 'quarantine' ? 'reject' : undefined;

/** A domain that sends no mail is ready for p=reject, unless authenticated reports show aligned mail. */
export function canRejectAtOnce(usageType: UsageType, { authenticatedAligned }: Measures): boolean {
  return (usageType === 'parked' || usageType === 'receives-only') && authenticatedAligned === 0;
}

export function readinessOf(input: ReadinessInput): Readiness {
  const { stage, usageType, measures, attested } = input;
  const blockers = canRejectAtOnce(usageType, measures) ? [] : blockersOf(input);
  if (stage === 'reject') return { ready: true, thin: false, rule: [], blockers };
  if (canRejectAtOnce(usageType, measures)) {
    const rule = {
      name: 'Sends no mail',
      required: 'no authenticated mail in 400 days',
      actual: 'none',
      holds: true,
    };
    return { ready: true, thin: false, rule: [rule], blockers };
  }
  const step = stepAfter(stage);
  if (step === undefined) {
    // Monitoring loses no mail, but it would replace a stronger record that a lookup did not find.
    const isKnown = input.published.hasReportAddress !== null;
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
  name: PUBLISHED_NOW,
  required: 'the DMARC record is known',
  actual: DMARC_UNKNOWN,
  holds: false,
};

function rulesOf(step: Step, { measures, published, attested, today }: ReadinessInput): EnforcementRule[] {
  const limit = thresholds[step];
  const approved = measures.senders.filter((sender) => sender.approved > 0);
  const messages = sum(approved, 'approved');
  const share = percentage(sum(approved, 'approvedPassed'), messages);
  const worst = lowest(approved, 'approvedPassed');
  const worstDkim = lowest(approved, 'approvedDkim');
  const [largestShare, names] = reporterFigures(measures);
  const hasLargeReceiver = names.some((name) => LARGE_RECEIVERS.test(name));
  const doubtful = doubtfulSenders(measures, published, limit.unclassifiedMessages);
  const failedSeasonal = seasonalSenders(measures, today).filter(
    (sender) => (percentage(sender.lastPassed, sender.lastMessages) ?? 100) < limit.senderShare,
  );
  const historyDays = measures.since === null ? 0 : daysBetween(measures.since, today) + 1;
  const loss = percentage(measures.forwardedFailed, measures.forwarded + messages) ?? 0;
  const problems = problemsOf(published);
  return [
    {
      name: 'Time at the present policy',
      required: `${limit.policyDays} days${step === 'reject' ? ' at quarantine' : ''}`,
      actual: `${measures.policyDays} days`,
      holds: measures.policyDays >= limit.policyDays,
    },
    orAttested(attested.volume, {
      name: 'Days with reports',
      required: `${limit.reportDays} of ${WINDOW_DAYS}`,
      actual: `${measures.reportDays}`,
      holds: measures.reportDays >= limit.reportDays,
    }),
    orAttested(attested.volume, {
      name: 'Authenticated reporters',
      required: `${limit.reporters}, one of Google, Microsoft and Yahoo${limit.reporterShare < 100 ? `, none above ${limit.reporterShare} % of messages` : ''}`,
      actual: names.length === 0 ? 'none' : `${names.length}, largest share ${largestShare} %`,
      holds: names.length >= limit.reporters && hasLargeReceiver && largestShare <= limit.reporterShare,
    }),
    orAttested(attested.volume && messages > 0, {
      name: 'Messages of approved senders',
      required: `${limit.approvedMessages}`,
      actual: `${messages}`,
      holds: messages >= limit.approvedMessages,
    }),
    {
      name: 'Approved mail that passes',
      required: `${limit.approvedShare} %, each sender ${limit.senderShare} %`,
      actual: share === null ? 'no approved mail' : `${share} %, lowest ${named(worst)}`,
      holds: share !== null && share >= limit.approvedShare && worst.share >= limit.senderShare,
    },
    {
      name: 'Aligned DKIM of approved senders',
      required:
        limit.dkimShare === 0 ? 'recommended: 95 % of each sender' : `${limit.dkimShare} % of each sender`,
      actual: approved.length === 0 ? 'no approved mail' : `lowest ${named(worstDkim)}`,
      holds: worstDkim.share >= limit.dkimShare,
    },
    {
      name: 'Senders without a decision that look legitimate',
      required: `none above ${limit.unclassifiedMessages} messages`,
      actual: doubtful.length === 0 ? 'none' : list(doubtful.map(({ group }) => group.name)),
      holds: doubtful.length === 0,
    },
    orAttested(attested.seasonalSenders && failedSeasonal.length === 0, {
      name: 'Seasonal senders',
      required: `passed when last seen${limit.historyDays > 0 ? `, history of ${limit.historyDays} days` : ''}`,
      actual:
        failedSeasonal.length > 0
          ? `failed: ${list(failedSeasonal.map(({ group }) => group.name))}`
          : `passed, history of ${historyDays} days`,
      holds: failedSeasonal.length === 0 && historyDays >= limit.historyDays,
    }),
    orAttested(attested.forwardingLoss, {
      name: 'Approved mail lost to forwarders and lists',
      required: limit.forwardingLoss === 100 ? 'for information' : `at most ${limit.forwardingLoss} %`,
      actual: `${loss} %`,
      holds: loss <= limit.forwardingLoss,
    }),
    {
      name: PUBLISHED_NOW,
      required: 'SPF without permerror, DKIM keys valid, rua present',
      actual: problems.length === 0 ? 'as required' : list(problems),
      holds: problems.length === 0,
    },
  ];
}

/** What is wrong with the published records, whatever the reports say. */
export const problemsOf = (published: PublishedNow): readonly string[] => [
  ...(published.spfIsPermerror === true ? ['SPF is a permerror'] : []),
  ...(published.spfIsPermerror === null ? ['the SPF record is unknown'] : []),
  ...(published.hasReportAddress === false ? ['rua is missing'] : []),
  ...(published.hasReportAddress === null ? [DMARC_UNKNOWN] : []),
  ...published.brokenKeys.map((selector) => `the DKIM key ${selector} is broken`),
];

function orAttested(isAttested: boolean, rule: EnforcementRule): EnforcementRule {
  if (rule.holds || !isAttested) return rule;
  return { ...rule, actual: `${rule.actual} (attested)`, holds: true };
}

function sum(senders: readonly SenderMeasures[], of: 'approved' | 'approvedPassed'): number {
  return senders.reduce((total, sender) => total + sender[of], 0);
}

interface Lowest {
  readonly name: string;
  readonly share: number;
}

function lowest(senders: readonly SenderMeasures[], of: 'approvedPassed' | 'approvedDkim'): Lowest {
  return senders
    .map((sender) => ({ name: sender.group.name, share: percentage(sender[of], sender.approved) ?? 100 }))
    .reduce<Lowest>((worst, next) => (next.share < worst.share ? next : worst), { name: '', share: 100 });
}

const named = ({ name, share }: Lowest): string => (name === '' ? `${share} %` : `${name} ${share} %`);

function list(names: readonly string[]): string {
  const [first, second, third, ...more] = names;
  const shown = [first, second, third].filter((name) => name !== undefined).join(', ');
  return more.length === 0 ? shown : `${shown}, and ${more.length} more`;
}

function reporterFigures({ reporters }: Measures): readonly [largestShare: number, names: readonly string[]] {
  const counts = [...reporters.values()];
  const total = counts.reduce((all, messages) => all + messages, 0);
  return [percentage(Math.max(0, ...counts), total) ?? 0, [...reporters.keys()]];
}

/** Senders without a decision that have a sign of legitimacy, and more messages than a step allows. */
function doubtfulSenders(
  { senders }: Measures,
  { isAuthorized, isInMxNetwork }: PublishedNow,
  allowed: number,
): SenderMeasures[] {
  return senders
    .filter(({ unclassified }) => unclassified > allowed)
    .filter(({ everPassed, recentDays, addresses }) => {
      if (everPassed || recentDays.size >= REGULAR_DAYS) return true;
      return [...addresses].some((address) => isAuthorized(address) || isInMxNetwork(address));
    });
}

/** Approved senders that did not send in the window. */
function seasonalSenders({ senders }: Measures, today: string): SenderMeasures[] {
  const recent = daysBefore(today, WINDOW_DAYS);
  return senders.filter(({ lastDay, lastMessages }) => lastMessages > 0 && lastDay < recent);
}

/** What keeps mail from passing under p=reject. */
function blockersOf({ measures, published, today }: ReadinessInput): Enforcement['blockers'] {
  const limit = thresholds.reject;
  const failing = measures.senders
    .filter(({ approved }) => approved > 0)
    .flatMap((sender) => {
      const { approved, approvedPassed, approvedDkim } = sender;
      const passes = percentage(approvedPassed, approved) ?? 100;
      const signs = percentage(approvedDkim, approved) ?? 100;
      if (passes < limit.senderShare) {
        const reason = `${approved - approvedPassed} of ${approved} messages fail DMARC`;
        return [{ ...about(sender, approved - approvedPassed), reason, fix: FIX_FAILING }];
      }
      if (signs >= limit.dkimShare) return [];
      const reason = `${signs} % of its messages have an aligned DKIM signature; the others rely on SPF, which fails when mail is forwarded`;
      return [{ ...about(sender, approved - approvedDkim), reason, fix: FIX_UNSIGNED }];
    });
  const undecided = doubtfulSenders(measures, published, limit.unclassifiedMessages).map((sender) => ({
    ...about(sender, sender.unclassified),
    reason: `${sender.unclassified} messages without your decision, and a sign that they are legitimate: ${signOf(sender)}`,
    fix: 'Decide whether you use this sender: approve it and let it authenticate its mail, or mark it as unauthorized.',
  }));
  const seasonal = seasonalSenders(measures, today)
    .filter(
      ({ lastPassed, lastMessages }) => (percentage(lastPassed, lastMessages) ?? 100) < limit.senderShare,
    )
    .map((sender) => ({
      ...about(sender, sender.lastMessages - sender.lastPassed),
      reason: `its mail failed when it was last seen, on ${sender.lastDay}`,
      fix: FIX_FAILING,
    }));
  return [...failing, ...undecided, ...seasonal].toSorted((a, b) => b.messages - a.messages);
}

const FIX_FAILING =
  'Let the sender sign with DKIM in the name of your domain, or use your domain or a subdomain in MAIL FROM and authorize it with SPF.';
const FIX_UNSIGNED = 'Let the sender sign with DKIM in the name of your domain.';

function about({ group }: SenderMeasures, messages: number) {
  return { senderId: group.id, name: group.name, messages };
}

function signOf({ everPassed, recentDays }: SenderMeasures): string {
  if (everPassed) return 'some of its mail passed DMARC';
  if (recentDays.size >= REGULAR_DAYS) return `it sent on ${recentDays.size} of the last 60 days`;
  return 'your SPF record or the network of your MX hosts contains one of its addresses';
}
