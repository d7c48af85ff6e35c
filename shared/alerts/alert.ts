/** Alerts about a domain: a row per type, with its schemas for the draft of a rule, the stored alert and the response. */

import * as z from 'zod/mini';
import {
  count,
  described,
  domainName,
  text,
  textOrNull,
  texts,
  timestamp,
  uuid,
} from '../protocol/schema.ts';
import { grade, points } from '../score/grade.ts';
import { type ShownChange, shownChange } from './shown-change.ts';

export const alertSeverity = described(
  z.enum(['info', 'warning', 'critical'], 'must be one of info, warning, critical'),
  '`info`: no action needed. `warning`: attention recommended. `critical`: immediate action needed',
);

export type AlertSeverity = z.infer<typeof alertSeverity>;

/** What an alert says, in the documents. */
interface Said {
  readonly severity: z.output<typeof alertSeverity>;
  readonly title: string;
  readonly message: string;
}

const draftFields = ({ severity, title, message }: Said) => ({
  severity: described(alertSeverity, 'How urgent the alert is', severity),
  title: described(text, 'What happened, in a few words', title),
  message: described(text, 'What happened, in sentences', message),
});

export const direction = described(
  z.enum(['below', 'above']),
  'The side of the threshold where the score is now',
);

export const reportType = described(
  z.enum(['dmarc', 'tls']),
  '`dmarc`: DMARC aggregate report. `tls`: TLS report',
);

export const sameCause = described(
  z.object({
    count: described(count, 'Number of alerts about this cause, this one included', 3),
    unread: described(count, 'Number of those that are not marked as read', 2),
    since: described(timestamp, 'When the oldest of them was raised; ISO 8601, UTC, with milliseconds'),
  }),
  'Only in a list with `groupBy=cause`: the alerts about the same cause, of which this is the newest',
);

const stored = {
  id: described(uuid, 'UUIDv7, so IDs sort by creation time'),
  domainId: described(uuid, 'ID of the domain that the alert is about'),
  domainName: described(domainName, 'Name of the domain that the alert is about'),
  read: described(z.boolean(), 'Whether the alert is marked as read', false),
  createdAt: described(timestamp, 'ISO 8601, UTC, with milliseconds'),
  cause: z.optional(sameCause),
};

interface AlertType<M extends z.ZodMiniType> {
  /** When it is raised, and with which severity; for the documents. */
  readonly raised: string;
  readonly severity: string;
  /** What one says whose facts are those of the examples. */
  readonly example: Said;
  /** The facts of an alert. Their examples make the one of a webhook request. */
  readonly metadata: M;
  /** Sets its causes apart; by default, all alerts of a domain are about one. */
  cause?(metadata: z.output<M>): string;
  /** Whether an alert says that what earlier ones of its cause were about is over. */
  isEnd?(alert: { readonly severity: AlertSeverity; readonly metadata: z.output<M> }): boolean;
  /** The page of the domain that shows what the alert is about; by default, the one with the fixes. */
  page?(metadata: z.output<M>): 'dmarc' | 'tls';
  /** What changed in a check. */
  change?(metadata: z.output<M>): ShownChange;
}

function alertType<const T extends string, M extends z.ZodMiniType>(type: T, row: AlertType<M>) {
  const draft = z.object({
    type: described(z.literal(type), row.raised),
    ...draftFields(row.example),
    metadata: described(row.metadata, 'The facts of the alert; the fields depend on its type'),
  });
  return { ...row, draft, stored: z.extend(draft, stored) };
}

const reportFields = {
  reportType,
  reportId: described(uuid, 'ID of the stored report'),
  reporter: described(
    text,
    'The `orgName` (DMARC) or `organizationName` (TLS) of the stored report',
    'Receiver Example',
  ),
  dateRangeBegin: described(timestamp, 'Start of the period that the report covers'),
  dateRangeEnd: described(timestamp, 'End of the period that the report covers'),
  passed: described(count, 'Messages (DMARC report) or sessions (TLS report) that passed', 90),
  failed: described(count, 'Messages (DMARC report) or sessions (TLS report) that failed', 10),
  authenticated: described(
    z.optional(z.nullable(z.boolean())),
    'Whether the mail that delivered the report passed DMARC, which authenticates its sender; `null` if unknown',
  ),
};

const failureRate = described(
  z.number().check(z.minimum(0), z.maximum(100)),
  'Percentage of failed messages, with two decimals',
  10,
);

const about = <const Value extends string>(value: Value, what: string) =>
  described(z.literal(value), `What failed: ${what}`);

export const failedSessions = z.object({
  about: about('tls-report', 'sessions in a TLS report'),
  ...reportFields,
  reportType: described(reportType, 'Always `tls`', 'tls'),
  failureRate,
});

export const senderFailure = z.object({
  about: about('sender', 'the messages of one sender'),
  senderId: described(text, 'ID of the sender', 'domain-N2Q4m0J5cV8y1xW3bT6sKg'),
  sender: described(text, 'Name of the sender', 'sender.example'),
  status: described(
    z.nullable(z.literal('approved')),
    '`approved`: an approved sender stopped passing; `null`: a new sender without a decision',
  ),
  day: described(z.iso.date(), 'The day of the messages, UTC'),
  messages: described(count, 'Number of messages of the sender on that day', 100),
  failed: described(count, 'Number of messages of the sender on that day that failed', 10),
  failureRate,
  previousFailureRate: described(
    z.nullable(failureRate),
    'The same for the days before; `null` for a new sender',
    0,
  ),
});

export const failingShare = z.object({
  about: about('share', 'a higher share of all messages than before'),
  day: described(z.iso.date(), 'The day of the messages, UTC'),
  messages: described(
    count,
    'Number of messages on that day, without senders that have a decision against them',
    100,
  ),
  failed: described(count, 'Number of these messages that failed', 10),
  failureRate,
  previousFailureRate: described(
    z.nullable(failureRate),
    'The highest rate of a day in the 30 days before; `null` if there are reports of fewer than 7 of them',
    0,
  ),
});

export const stoppedReports = z.object({
  about: about('stopped-reports', 'DMARC reports stopped'),
  stoppedReporter: described(
    textOrNull,
    'The organizational domain of the reporter whose reports stopped; `null` if those of all reporters did',
    'receiver.example',
  ),
  lastDay: described(z.iso.date(), 'The last day that a report is about, UTC', '2026-01-31'),
  reportDays: described(count, 'Days with reports among the 30 days up to that day', 29),
});

const failures = z.discriminatedUnion('about', [failedSessions, senderFailure, failingShare, stoppedReports]);

/** The facts of a failure, also of alerts that were stored before the facts said what they are about. */
const failure = z.pipe(
  z.pipe(
    z.record(z.string(), z.unknown()),
    z.transform((facts) => ({ about: aboutOf(facts), ...facts })),
  ),
  failures,
);

function aboutOf(facts: Readonly<Record<string, unknown>>): z.output<typeof failures>['about'] {
  if ('senderId' in facts) return 'sender';
  if ('reportType' in facts) return 'tls-report';
  return 'stoppedReporter' in facts ? 'stopped-reports' : 'share';
}

export const alertTypes = {
  dns_change: alertType('dns_change', {
    raised: 'A record or finding of a check appeared or disappeared',
    severity:
      '`critical` if the check worked and now fails or its record is gone (not for TLS-RPT and BIMI, which refuse no mail), if a DMARC policy changed from reject to none, or if a record begins to rely on a domain that nobody owns; `info` if it works again or problems were fixed, and nothing is weaker; otherwise `warning`',
    example: {
      severity: 'critical',
      title: 'DMARC weakened: example.org',
      message:
        'Weaker: p from reject to none; sp from reject to none; np from reject to none. Removed: v=DMARC1; p=reject. Added: v=DMARC1; p=none.',
    },
    metadata: shownChange,
    cause: ({ check }) => check,
    isEnd: ({ severity }) => severity === 'info',
    change: (metadata) => metadata,
  }),
  score_change: alertType('score_change', {
    raised: 'The score differs by 10 points or a grade from the last one you were alerted about',
    severity: '`critical` for a drop of two grades or more, `warning` for any other drop, `info` for a rise',
    example: {
      severity: 'critical',
      title: 'Score dropped from 85 to 60: example.org',
      message: 'The grade changed from B to D.',
    },
    metadata: z.object({
      previousScore: described(points, 'The score before the change', 85),
      newScore: described(points, 'The score after the change', 60),
      previousGrade: described(grade, 'The grade before the change', 'B'),
      newGrade: described(grade, 'The grade after the change', 'D'),
    }),
    isEnd: ({ metadata: { previousScore, newScore } }) => newScore > previousScore,
  }),
  score_threshold: alertType('score_threshold', {
    raised: 'The score dropped below the alert threshold, or rose to it or above',
    severity: '`warning` downward, `info` upward',
    example: {
      severity: 'warning',
      title: 'Score below 70: example.org',
      message: 'The score is 60. The alert threshold is 70.',
    },
    metadata: z.object({
      threshold: described(
        count,
        'The alert threshold of the organization, or the default of the service',
        70,
      ),
      previousScore: described(
        z.nullable(points),
        'The score before the change; `null` if there was none',
        85,
      ),
      newScore: described(z.nullable(points), 'The score after the change; `null` if there is none', 60),
      direction,
    }),
    isEnd: ({ metadata }) => metadata.direction === 'above',
  }),
  certificate_issuer_change: alertType('certificate_issuer_change', {
    raised: 'Another CA issued the certificate of an MX host',
    severity: '`info`',
    example: {
      severity: 'info',
      title: 'Certificate issuer of mx.example.org changed: example.org',
      message:
        'The certificate of the MX host was issued by Example CA before, and is issued by Other CA now. If nobody who operates the host chose that, find out who requested the certificate.',
    },
    metadata: z.object({
      host: described(text, 'The name of the MX host', 'mx.example.org'),
      previousIssuers: described(texts, 'Who issued the certificates of its addresses before', [
        'Example CA',
      ]),
      newIssuers: described(texts, 'Who issued them now', ['Other CA']),
    }),
    cause: ({ host }) => host,
  }),
  report_failure: alertType('report_failure', {
    raised:
      'Mail fails DMARC for a cause: an approved sender stops passing, a new sender fails, or the share of failing mail is higher than on the 30 days before; or sessions failed in a TLS report, the first of the day; or the DMARC reports of one or all reporters stopped',
    severity: '`warning`',
    example: {
      severity: 'warning',
      title: 'TLS failures: example.org',
      message: '10 of 100 sessions (10.0%) reported by Receiver Example could not use TLS as required.',
    },
    metadata: failure,
    cause: (metadata) => {
      if (metadata.about === 'sender') return `sender ${metadata.senderId}`;
      return metadata.about === 'tls-report' ? metadata.reportType : 'share';
    },
    page: (metadata) => (metadata.about === 'tls-report' ? metadata.reportType : 'dmarc'),
  }),
  new_report: alertType('new_report', {
    raised: 'A reporter sent its first DMARC or TLS report about the domain, or its first one after 90 days',
    severity: '`info`',
    example: {
      severity: 'info',
      title: 'New DMARC reporter: example.org',
      message:
        'Receiver Example sent a DMARC report for the first time in 90 days, about 100 messages, of which 10 failed.',
    },
    metadata: z.object({
      ...reportFields,
      reporterDomain: described(
        z.optional(z.nullable(domainName)),
        'The authenticated domain of the mail with the report; `null` if there is none',
        'receiver.example',
      ),
    }),
    cause: ({ reportType }) => reportType,
    page: ({ reportType }) => reportType,
  }),
};

type AlertTypes = typeof alertTypes;

/** An alert before it is stored. */
export type AlertDraft = z.infer<AlertTypes[keyof AlertTypes]['draft']>;

/** A reporter that sent nothing for this many days is new again. */
export const SILENCE_DAYS = 90;

export type ReportAlertDraft = z.infer<AlertTypes['new_report' | 'report_failure']['draft']> & {
  /** At most one alert is raised per dedupe key of a domain. */
  readonly dedupeKey: string;
  /**
   * Whether the alert is raised again when its dedupe key was unused for SILENCE_DAYS. Up to six days less for a key that is
   * used more often than once a week.
   */
  readonly againAfterSilence?: boolean;
};

const { dns_change, ...others } = alertTypes;

export const alert = z.discriminatedUnion('type', [
  dns_change.stored,
  ...Object.values(others).map((type) => type.stored),
]);

export type Alert = z.infer<typeof alert>;

/** What the row of an alert says about it. */
export const typeOf = ({
  type,
}: Pick<AlertDraft, 'type'>): AlertType<AlertTypes[keyof AlertTypes]['metadata']> => alertTypes[type];
