/**
 * What is calculated from record summaries: senders, simulations, enforcement and reporters, as the API shows them.
 *
 * Longer than 350 lines: one table of schemas.
 */
import * as z from 'zod/mini';
import { count, described, list, text, textOrNull, timestamp } from '../protocol/schema.ts';
import { specification } from '../reports/report.ts';
import { senderStatuses } from '../store/enforcement/decisions.ts';
import {
  day,
  dmarcCounts,
  messages,
  seen,
  senderId,
  senderKind,
  senderName,
  share,
} from './sender-fields.ts';

export const dispositions = z.object({
  none: described(count, 'Messages that are delivered', 90),
  quarantine: described(count, 'Messages that are delivered to junk folders', 10),
  reject: described(count, 'Messages that are rejected', 0),
});

export type Dispositions = z.infer<typeof dispositions>;

const reporters = described(count, 'Number of reporters', 4);

const reports = described(count, 'Number of reports', 30);

export const senderStatus = described(
  z.enum(senderStatuses, 'must be approved, forwarder, unauthorized, or null'),
  '`approved`: sends for you. `forwarder`: passes mail of others on. `unauthorized`: must not send as the domain',
);

/** The decision of the owner about a sender; null: none yet. */
export type SenderStatus = z.infer<typeof senderStatus> | null;

const statusOrNull = described(z.nullable(senderStatus), 'Your decision; `null` if you made none');

export const sender = z.object({
  id: senderId,
  name: senderName,
  kind: senderKind,
  status: statusOrNull,
  suggestion: described(
    z.nullable(z.literal('forwarder')),
    '`forwarder`: aligned DKIM passes while SPF fails, and a second sign confirms it. Never a decision',
  ),
  note: described(textOrNull, 'Your note; `null` if you made none', 'Newsletters'),
  changedAt: described(z.nullable(timestamp), 'When the status or note was last changed; `null` if never'),
  changedBy: described(
    textOrNull,
    'The ID of the token that changed it; `null` for the operator, or if it was never changed',
    '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
  ),
  ...dmarcCounts,
  dkimAligned: described(count, 'Messages that passed aligned DKIM', 90),
  spfAligned: described(count, 'Messages that passed aligned SPF', 40),
  disposition: described(dispositions, 'What receivers say they did'),
  sources: described(count, 'Number of source addresses', 3),
  ...seen,
});

export type Sender = z.infer<typeof sender>;

const comparison = z.object({
  current: described(count, 'With the current records', 90),
  proposed: described(count, 'With the proposed records', 90),
});

const outcome = {
  passing: described(comparison, 'Messages that pass DMARC'),
  current: described(dispositions, 'What the current records ask receivers to do'),
  proposed: described(dispositions, 'What the proposed records ask receivers to do'),
  unpredictable: described(
    count,
    'Messages whose result cannot be predicted; they keep their reported result and are counted in the other figures',
    5,
  ),
};

export const changeReason = described(
  z.enum(['policy', 'dkim-alignment', 'spf-alignment', 'spf-record']),
  'What changes the result of messages',
);

export type ChangeReason = z.infer<typeof changeReason>;

export const unpredictableReason = described(
  z.enum([
    'spf-macros',
    'spf-lookup-failed',
    'spf-too-many-addresses',
    'spf-not-explained',
    'spf-unknown',
    'no-address',
    'subdomain-unknown',
  ]),
  'Why the result of messages cannot be predicted',
);

export type UnpredictableReason = z.infer<typeof unpredictableReason>;

export const simulatedSender = z.object({
  id: senderId,
  name: senderName,
  status: statusOrNull,
  messages,
  ...outcome,
  reasons: described(list(changeReason), 'What changes the result of its messages'),
});

export type SimulatedSender = z.infer<typeof simulatedSender>;

const approvedMail = z.object({
  messages,
  lost: described(comparison, 'Those that records quarantine or reject'),
});

export const simulationSummary = z.object({
  messages,
  ...outcome,
  observed: described(dispositions, 'What receivers say they did'),
  approved: described(
    approvedMail,
    'Messages of approved senders, and those that the current and the proposed records quarantine or reject',
  ),
  legacy: described(
    z.extend(dispositions, { messages }),
    'The proposed records for the messages of RFC 7489 reporters, as RFC 7489 applies them: with `pct`, without `t` and `np`',
  ),
});

export type SimulationSummary = z.infer<typeof simulationSummary>;

const records = z.object({
  dmarc: described(textOrNull, 'The DMARC record; `null` if there is none', 'v=DMARC1; p=none'),
  spf: described(
    textOrNull,
    'The SPF record; `null` if there is none',
    'v=spf1 include:_spf.example.net -all',
  ),
});

export const simulation = z.object({
  startDate: described(day, 'The first day of the window, UTC'),
  endDate: described(day, 'The last day of the window, UTC'),
  current: described(records, 'The records that `current` applies'),
  proposed: described(records, 'The records that `proposed` applies'),
  summary: described(simulationSummary, 'The sums of all senders'),
  senders: described(
    list(simulatedSender),
    'Up to 100 senders; those whose messages change come first, most changed messages first',
  ),
  others: described(z.object({ messages, ...outcome }), 'The senders that are not listed'),
  basis: described(
    z.object({
      reports,
      reporters,
      messages,
      days: described(count, 'Days with reports', 30),
      authenticatedShare: described(share, 'Messages in reports whose mail passed DMARC, as a percentage'),
    }),
    'What the simulation rests on',
  ),
  unpredictable: described(
    list(z.object({ reason: unpredictableReason, messages })),
    'Why messages are unpredictable',
  ),
});

export type Simulation = z.infer<typeof simulation>;

export const stage = described(
  z.enum(['no-record', 'monitoring', 'quarantine', 'reject']),
  'A step of DMARC enforcement',
);

export type Stage = z.infer<typeof stage>;

export const ruleId = described(
  z.enum([
    'no-mail',
    'record-known',
    'policy-days',
    'report-days',
    'reporters',
    'approved-messages',
    'approved-pass',
    'approved-dkim',
    'undecided-senders',
    'seasonal-senders',
    'forwarding-loss',
    'published-records',
  ]),
  'A rule of enforcement. The id stays the same when its wording changes',
  'report-days',
);

export const ruleMeasureName = described(
  z.enum([
    'authenticatedMessages',
    'policyDays',
    'reportDays',
    'reporters',
    'largeReceivers',
    'largestReporterShare',
    'approvedMessages',
    'approvedPassed',
    'lowestSenderPassed',
    'lowestSenderDkim',
    'undecidedSenders',
    'failingSeasonalSenders',
    'historyDays',
    'forwardingLoss',
    'recordProblems',
  ]),
  'What a rule measures',
  'reportDays',
);

export const ruleUnit = described(
  z.enum(['days', 'messages', 'percent', 'items']),
  'The unit of a measure',
  'days',
);

export const ruleMeasure = z.object({
  measure: ruleMeasureName,
  unit: ruleUnit,
  atLeast: described(z.nullable(z.number()), 'The least required; `null`: no limit', 24),
  atMost: described(z.nullable(z.number()), 'The most allowed; `null`: no limit', null),
  actual: described(z.nullable(z.number()), 'The value; `null` if there is too little mail to tell', 28),
});

export type RuleMeasure = z.infer<typeof ruleMeasure>;

export const enforcementRule = z.object({
  id: ruleId,
  name: described(text, 'What the rule is about', 'Days with reports'),
  required: described(text, 'What the next step requires', '24 of 30'),
  actual: described(text, 'What reports show', '28'),
  measures: described(list(ruleMeasure), 'The same in numbers; empty for a rule without any'),
  attested: described(z.boolean(), 'Whether the rule holds only because its owner attested it', false),
  holds: described(z.boolean(), 'Whether the rule holds', true),
  measured: described(
    z._default(z.boolean(), true),
    'Whether there is data behind it; a rule without data says nothing about the domain',
    true,
  ),
  advisory: described(
    z._default(z.boolean(), false),
    'Whether it is for information only, and does not keep the domain from the next step',
    false,
  ),
});

export type EnforcementRule = z.infer<typeof enforcementRule>;

/** What an owner can attest. */
export const attestable = z.object({
  volume: described(
    z.boolean('must be true or false'),
    'The domain sends little mail, and reports show all of its senders: replaces the required numbers of days, reporters and messages',
  ),
  seasonalSenders: described(
    z.boolean('must be true or false'),
    'No sender sends less often than reports go back: replaces the history of 400 days',
  ),
  forwardingLoss: described(
    z.boolean('must be true or false'),
    'You accept that approved mail is lost to forwarders and mailing lists: replaces that limit',
  ),
});

export const attestation = z.object({
  at: described(timestamp, 'When it was attested'),
  by: described(
    textOrNull,
    'The ID of the token; `null` for the operator',
    '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
  ),
});

const attestations = z.object({
  volume: described(z.nullable(attestation), 'That reports show all senders of a domain with little mail'),
  seasonalSenders: described(z.nullable(attestation), 'That no sender sends less often than reports go back'),
  forwardingLoss: described(z.nullable(attestation), 'That approved mail may be lost to forwarders'),
});

const blocker = z.object({
  senderId: described(z.nullable(senderId), 'ID of the sender; `null` for the others together'),
  name: senderName,
  messages,
  reason: described(
    text,
    'Why the sender stands in the way',
    'its mail failed when it was last seen, on 2026-01-29',
  ),
  fix: described(text, 'What to do about it', 'Sign its mail with DKIM in the name of your domain.'),
});

const lastStep = z.object({
  at: described(day, 'The day of the step, UTC'),
  policy: described(text, 'The policy of the step', 'quarantine'),
  predictedLostShare: described(share, 'Approved mail that the simulation saw lost, as a percentage', 0.1),
  actualLostShare: described(share, 'Approved mail that receivers reported as lost, as a percentage', 0.1),
});

export const enforcement = z.object({
  stage: described(stage, 'The effective policy today; a policy in test mode counts as the next weaker one'),
  ready: described(z.boolean(), 'Whether every rule of the next step holds; `true` at `reject`'),
  thin: described(z.boolean(), 'Whether an attestation replaces numbers that reports do not show'),
  rule: described(list(enforcementRule), 'The conditions of the next step'),
  nextRecord: described(
    textOrNull,
    'The DMARC record of the next step; `null` if there is none, or if no check found the record of today',
    'v=DMARC1; p=quarantine; rua=mailto:dmarc@example.org',
  ),
  reports: described(
    z._default(
      z.object({
        authenticated: described(count, 'Those that count for the rules: their mail passed DMARC', 52),
        unauthenticated: described(count, 'Those that do not count, because anybody could have sent them', 3),
      }),
      { authenticated: 0, unauthenticated: 0 },
    ),
    'Reports about the last 30 days',
  ),
  blockers: described(list(blocker), 'What stands between the domain and p=reject, most messages first'),
  simulation: described(
    z.nullable(simulationSummary),
    'The next step, for the last 30 days; `null` without reports',
  ),
  attested: described(attestations, 'What you attested; `null` if you did not'),
  lastStep: described(
    z.nullable(lastStep),
    'The latest step: what its simulation predicted of approved mail, and what receivers reported since',
  ),
});

export type Enforcement = z.infer<typeof enforcement>;

export const reporter = z.object({
  reporter: described(text, 'Name of the reporter, as its reports state it', 'Receiver Example'),
  domain: described(
    textOrNull,
    'The organizational domain of its mail, if that is authenticated; `null` if it is not',
    'receiver.example',
  ),
  reports,
  messages,
  specification,
  overriddenMessages: described(count, 'Messages with an override reason', 0),
  appliesTesting: described(
    z.nullable(z.boolean()),
    'Whether the reporter applies `t=y`; `null` if its reports do not show it',
  ),
});

export type Reporter = z.infer<typeof reporter>;
