/** What is calculated from record summaries: senders, simulations, enforcement and reporters, as the API shows them. */
import * as z from 'zod/mini';
import { count, described, list, text, textOrNull, timestamp } from '../protocol/schema.ts';
import { senderStatuses } from '../store/enforcement/decisions.ts';

const day = described(z.iso.date(), 'A day in UTC');

const share = described(
  z.nullable(z.number().check(z.minimum(0), z.maximum(100))),
  'Percentage, with two decimals; `null` without messages',
);

export const dispositions = z.object({ none: count, quarantine: count, reject: count });

export type Dispositions = z.infer<typeof dispositions>;

export const senderKind = z.enum(['provider', 'domain', 'network']);

export const senderStatus = z.enum(senderStatuses);

/** The decision of the owner about a sender; null: none yet. */
export type SenderStatus = z.infer<typeof senderStatus> | null;

export const senderIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

const senderId = described(
  z.string().check(z.regex(senderIdPattern)),
  'Depends only on reports, so it stays the same',
);

const senderName = described(
  text,
  'The provider, the organizational domain that authenticated the mail, or the /24 or /48 network',
);

const statusOrNull = described(z.nullable(senderStatus), 'Your decision; `null` if you made none');

export const sender = z.object({
  id: senderId,
  name: senderName,
  kind: senderKind,
  status: statusOrNull,
  suggestion: described(
    z.nullable(z.enum(['forwarder'])),
    '`forwarder`: aligned DKIM passes while SPF fails, and a second sign confirms it. Never a decision',
  ),
  note: described(textOrNull, 'Your note'),
  changedAt: described(z.nullable(timestamp), 'When the status or note was last changed'),
  changedBy: described(textOrNull, 'Who changed it'),
  messages: count,
  passedMessages: count,
  failedMessages: count,
  passRate: share,
  dkimAligned: described(count, 'Messages that passed aligned DKIM'),
  spfAligned: described(count, 'Messages that passed aligned SPF'),
  disposition: described(dispositions, 'What receivers say they did'),
  sources: described(count, 'Number of source addresses'),
  firstSeen: day,
  lastSeen: day,
});

export type Sender = z.infer<typeof sender>;

const outcome = {
  passing: described(z.object({ current: count, proposed: count }), 'Messages that pass DMARC'),
  current: described(dispositions, 'What the current records ask receivers to do'),
  proposed: described(dispositions, 'What the proposed records ask receivers to do'),
  unpredictable: described(
    count,
    'Messages whose result cannot be predicted; they keep their reported result and are counted in the other figures',
  ),
};

export const changeReasons = ['policy', 'dkim-alignment', 'spf-alignment', 'spf-record'] as const;

export type ChangeReason = (typeof changeReasons)[number];

export const unpredictableReasons = [
  'spf-macros',
  'spf-lookup-failed',
  'spf-too-many-addresses',
  'spf-not-explained',
  'spf-unknown',
  'no-address',
  'subdomain-unknown',
] as const;

export type UnpredictableReason = (typeof unpredictableReasons)[number];

export const simulatedSender = z.object({
  id: senderId,
  name: senderName,
  status: statusOrNull,
  messages: count,
  ...outcome,
  reasons: described(list(z.enum(changeReasons)), 'What changes the result of its messages'),
});

export type SimulatedSender = z.infer<typeof simulatedSender>;

export const simulationSummary = z.object({
  messages: count,
  ...outcome,
  observed: described(dispositions, 'What receivers say they did'),
  approved: described(
    z.object({ messages: count, lost: z.object({ current: count, proposed: count }) }),
    'Messages of approved senders, and those that the current and the proposed records quarantine or reject',
  ),
  legacy: described(
    z.extend(dispositions, { messages: count }),
    'The proposed records for the messages of RFC 7489 reporters, as RFC 7489 applies them: with `pct`, without `t` and `np`',
  ),
});

export type SimulationSummary = z.infer<typeof simulationSummary>;

const records = z.object({ dmarc: textOrNull, spf: textOrNull });

export const simulation = z.object({
  startDate: day,
  endDate: day,
  current: described(records, 'The records that `current` applies; `null` if there is none'),
  proposed: described(records, 'The records that `proposed` applies; `null` if there is none'),
  summary: simulationSummary,
  senders: described(
    list(simulatedSender),
    'Up to 100 senders; those whose messages change come first, most changed messages first',
  ),
  others: described(z.object({ messages: count, ...outcome }), 'The senders that are not listed'),
  basis: described(
    z.object({
      reports: count,
      reporters: count,
      messages: count,
      days: described(count, 'Days with reports'),
      authenticatedShare: described(share, 'Messages in reports whose mail passed DMARC, as a percentage'),
    }),
    'What the simulation rests on',
  ),
  unpredictable: described(
    list(z.object({ reason: z.enum(unpredictableReasons), messages: count })),
    'Why messages are unpredictable',
  ),
});

export type Simulation = z.infer<typeof simulation>;

export const stage = z.enum(['no-record', 'monitoring', 'quarantine', 'reject']);

export type Stage = z.infer<typeof stage>;

export const enforcementRule = z.object({
  name: text,
  required: text,
  actual: text,
  holds: z.boolean(),
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

const attestation = z.nullable(
  z.object({
    at: timestamp,
    by: described(textOrNull, 'The ID of the token; `null` for the operator'),
  }),
);

export const enforcement = z.object({
  stage: described(stage, 'The effective policy today; a policy in test mode counts as the next weaker one'),
  ready: described(z.boolean(), 'Whether every rule of the next step holds; `true` at `reject`'),
  thin: described(z.boolean(), 'Whether an attestation replaces numbers that reports do not show'),
  rule: described(list(enforcementRule), 'The conditions of the next step'),
  nextRecord: described(textOrNull, 'The DMARC record of the next step; `null` if there is no further step'),
  blockers: described(
    list(
      z.object({
        senderId: z.nullable(senderId),
        name: senderName,
        messages: count,
        reason: text,
        fix: text,
      }),
    ),
    'What stands between the domain and p=reject, most messages first',
  ),
  simulation: described(
    z.nullable(simulationSummary),
    'The next step, for the last 30 days; `null` without reports',
  ),
  attested: described(
    z.object({ volume: attestation, seasonalSenders: attestation, forwardingLoss: attestation }),
    'What you attested; `null` if you did not',
  ),
  lastStep: described(
    z.nullable(
      z.object({
        at: day,
        policy: text,
        predictedLostShare: share,
        actualLostShare: share,
      }),
    ),
    'The latest step: what its simulation predicted of approved mail, and what receivers reported since',
  ),
});

export type Enforcement = z.infer<typeof enforcement>;

export const reporter = z.object({
  reporter: text,
  reports: count,
  messages: count,
  specification: z.enum(['RFC 7489', 'RFC 9990']),
  overriddenMessages: described(count, 'Messages with an override reason'),
  appliesTesting: described(
    z.nullable(z.boolean()),
    'Whether the reporter applies `t=y`; `null` if its reports do not show it',
  ),
});

export type Reporter = z.infer<typeof reporter>;
