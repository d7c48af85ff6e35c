/** Alerts about a domain: one schema per type, for the draft of a rule, the stored alert and the response. */

import * as z from 'zod/mini';
import { count, described, text, timestamp, uuid } from '../protocol/schema.ts';
import { grade, points } from '../score/grade.ts';
import { shownChange } from './shown-change.ts';

export const alertSeverity = described(
  z.enum(['info', 'warning', 'critical']),
  '`info`: no action needed. `warning`: attention recommended. `critical`: immediate action needed',
);

export type AlertSeverity = z.infer<typeof alertSeverity>;

const draft = { severity: alertSeverity, title: text, message: text };

const scoreChangeDraft = z.object({
  type: described(z.literal('score_change'), 'The score changed by at least 10 points, or the grade changed'),
  ...draft,
  metadata: z.object({ previousScore: points, newScore: points, previousGrade: grade, newGrade: grade }),
});

const scoreThresholdDraft = z.object({
  type: described(
    z.literal('score_threshold'),
    'The score dropped below the alert threshold, or rose to it or above',
  ),
  ...draft,
  metadata: z.object({
    threshold: described(count, 'The alert threshold of the organization, or the default of the service'),
    previousScore: z.nullable(points),
    newScore: z.nullable(points),
    direction: z.enum(['below', 'above']),
  }),
});

const dnsChangeDraft = z.object({
  type: described(
    z.literal('dns_change'),
    'The records that the domain publishes, or the findings about them, changed',
  ),
  ...draft,
  metadata: shownChange,
});

const reportFields = {
  reportType: z.enum(['dmarc', 'tls']),
  reportId: described(uuid, 'ID of the stored report'),
  reporter: described(text, 'The `orgName` (DMARC) or `organizationName` (TLS) of the stored report'),
  dateRangeBegin: timestamp,
  dateRangeEnd: timestamp,
  passed: described(count, 'Number of messages (DMARC report) or sessions (TLS report) that passed'),
  failed: described(count, 'Number of messages (DMARC report) or sessions (TLS report) that failed'),
  authenticated: described(
    z.optional(z.nullable(z.boolean())),
    'Whether the mail that delivered the report passed DMARC, which authenticates its sender; `null` if unknown',
  ),
};

const newReportDraft = z.object({
  type: described(z.literal('new_report'), 'The first report from a reporter on a day was received'),
  ...draft,
  metadata: z.object(reportFields),
});

const failureRate = described(
  z.number().check(z.minimum(0), z.maximum(100)),
  'Percentage of failed messages, with two decimals',
);

const senderFields = {
  senderId: described(text, 'ID of the sender'),
  sender: described(text, 'Name of the sender'),
  status: described(
    z.nullable(z.enum(['approved'])),
    '`approved`: an approved sender stopped passing; `null`: a new sender without a decision',
  ),
  day: described(z.iso.date(), 'The day of the messages, UTC'),
  messages: described(count, 'Number of messages of the sender on that day'),
  failed: described(count, 'Number of messages of the sender on that day that failed'),
  failureRate,
  previousFailureRate: described(
    z.nullable(failureRate),
    'The same for the days before; `null` for a new sender',
  ),
};

const reportFailureDraft = z.object({
  type: described(
    z.literal('report_failure'),
    'A DMARC report covers at least 10 messages, and more than 5% of them failed DMARC; or a new sender fails, or an ' +
      'approved sender stops passing',
  ),
  ...draft,
  metadata: z.union([z.object({ ...reportFields, failureRate }), z.object(senderFields)]),
});

type AlertOfReport = z.infer<typeof newReportDraft> | z.infer<typeof reportFailureDraft>;

/** An alert before it is stored. */
export type AlertDraft =
  | z.infer<typeof scoreChangeDraft>
  | z.infer<typeof scoreThresholdDraft>
  | z.infer<typeof dnsChangeDraft>
  | AlertOfReport;

export type ReportAlertDraft = AlertOfReport & {
  /** At most one alert is raised per dedupe key of a domain. */
  readonly dedupeKey: string;
};

const stored = {
  id: described(uuid, 'UUIDv7, so IDs sort by creation time'),
  domainId: uuid,
  domainName: text,
  read: z.boolean(),
  createdAt: described(timestamp, 'ISO 8601, UTC, with milliseconds'),
};

export const scoreChange = z.extend(scoreChangeDraft, stored);
export const scoreThreshold = z.extend(scoreThresholdDraft, stored);
export const dnsChange = z.extend(dnsChangeDraft, stored);
export const newReport = z.extend(newReportDraft, stored);
export const reportFailure = z.extend(reportFailureDraft, stored);

export const alert = z.discriminatedUnion('type', [
  scoreChange,
  scoreThreshold,
  dnsChange,
  newReport,
  reportFailure,
]);

export type Alert = z.infer<typeof alert>;
