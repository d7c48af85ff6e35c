/** Requests and responses of the alert endpoints. */
import * as z from 'zod/mini';
import type { Alert } from '../store/alerts/alerts.ts';
import { changeFields } from './changes.ts';
import { boundedPagination, count, described, flag, timestamp, uuid } from './common.ts';

const points = z.int().check(z.minimum(0), z.maximum(100));
const grade = z.enum(['A', 'B', 'C', 'D', 'F']);

const severities = ['info', 'warning', 'critical'] as const;

const severity = z.enum(severities, `must be one of ${severities.join(', ')}`);

const pagination = boundedPagination(10_000, 'narrow the list with domainId, severity or unreadOnly');

export const alertsQuery = z
  .object({
    ...pagination.shape,
    domainId: described(
      z.optional(z.string().check(z.toLowerCase())),
      'Return only alerts of the domain with this ID',
    ),
    severity: described(z.optional(severity), 'Return only alerts with this severity'),
    unreadOnly: flag('Return only unread alerts'),
  })
  .check(pagination.check);

export const markReadBody = z.object(
  { read: z.literal(true, 'must be true: alerts cannot be marked as unread') },
  'must be a JSON object',
);

const common = {
  id: uuid,
  domainId: uuid,
  domainName: z.string(),
  severity: described(
    severity,
    '`info`: no action needed. `warning`: attention recommended. `critical`: immediate action needed',
  ),
  title: z.string(),
  message: z.string(),
  read: z.boolean(),
  createdAt: described(timestamp, 'ISO 8601, UTC, with milliseconds'),
};

export const scoreChange = z.object({
  ...common,
  type: described(z.literal('score_change'), 'The score changed by at least 10 points, or the grade changed'),
  metadata: z.object({ previousScore: points, newScore: points, previousGrade: grade, newGrade: grade }),
});

export const scoreThreshold = z.object({
  ...common,
  type: described(
    z.literal('score_threshold'),
    'The score dropped below the alert threshold, or rose to it or above',
  ),
  metadata: z.object({
    threshold: described(count, 'The alert threshold of the organization, or the default of the service'),
    previousScore: z.nullable(points),
    newScore: z.nullable(points),
    direction: z.enum(['below', 'above']),
  }),
});

export const dnsChange = z.object({
  ...common,
  type: described(
    z.literal('dns_change'),
    'The records that the domain publishes, or the findings about them, changed',
  ),
  metadata: z.object(changeFields),
});

const reportFields = {
  reportType: z.enum(['dmarc', 'tls']),
  reportId: described(uuid, 'ID of the stored report'),
  reporter: described(z.string(), 'The `orgName` (DMARC) or `organizationName` (TLS) of the stored report'),
  dateRangeBegin: timestamp,
  dateRangeEnd: timestamp,
  passed: described(count, 'Number of messages (DMARC report) or sessions (TLS report) that passed'),
  failed: described(count, 'Number of messages (DMARC report) or sessions (TLS report) that failed'),
  authenticated: described(
    z.optional(z.nullable(z.boolean())),
    'Whether the mail that delivered the report passed DMARC, which authenticates its sender; `null` if unknown',
  ),
};

export const newReport = z.object({
  ...common,
  type: described(z.literal('new_report'), 'The first report from a reporter on a day was received'),
  metadata: z.object(reportFields),
});

export const reportFailure = z.object({
  ...common,
  type: described(
    z.literal('report_failure'),
    'A DMARC report covers at least 10 messages, and more than 5% of them failed DMARC',
  ),
  metadata: z.object({
    ...reportFields,
    failureRate: described(
      z.number().check(z.minimum(0), z.maximum(100)),
      'Percentage of failed messages, with two decimals',
    ),
  }),
});

export const alert = z.discriminatedUnion('type', [
  scoreChange,
  scoreThreshold,
  dnsChange,
  newReport,
  reportFailure,
]);

/** A stored alert in the format of the API; the alert rules write the metadata of their type. */
export function showAlert(stored: Alert): z.output<typeof alert> {
  return stored as unknown as z.output<typeof alert>;
}
