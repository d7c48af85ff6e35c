/** Requests and answers of the alert endpoints. */
import * as z from 'zod/mini';
import type { Alert } from '../store/alerts/alerts.ts';
import { changeFields } from './changes.ts';
import { count, described, flag, paginationQuery, timestamp, uuid } from './common.ts';

const points = z.int().check(z.minimum(0), z.maximum(100));
const grade = z.enum(['A', 'B', 'C', 'D', 'F']);

const severities = ['info', 'warning', 'critical'] as const;

const severity = z.enum(severities, `must be one of ${severities.join(', ')}`);

export const alertsQuery = z.object({
  ...paginationQuery.shape,
  domainId: described(z.optional(z.string().check(z.toLowerCase())), 'Only alerts of this domain'),
  severity: described(z.optional(severity), 'Only alerts of this severity'),
  unreadOnly: flag('Only alerts that are not read'),
});

export const markReadBody = z.object(
  { read: z.literal(true, 'must be true: what was read stays read') },
  'must be a JSON object',
);

const common = {
  id: uuid,
  domainId: uuid,
  domainName: z.string(),
  severity: described(
    severity,
    'info: no action. warning: attention recommended. critical: immediate action.',
  ),
  title: z.string(),
  message: z.string(),
  read: z.boolean(),
  createdAt: described(timestamp, 'ISO 8601, UTC, with milliseconds'),
};

export const scoreChange = z.object({
  ...common,
  type: described(z.literal('score_change'), 'The score changed by 10 points or by a grade'),
  metadata: z.object({ previousScore: points, newScore: points, previousGrade: grade, newGrade: grade }),
});

export const scoreThreshold = z.object({
  ...common,
  type: described(z.literal('score_threshold'), 'The score crossed the threshold'),
  metadata: z.object({
    threshold: described(count, "The organization's own, or the service's"),
    previousScore: z.nullable(points),
    newScore: z.nullable(points),
    direction: z.enum(['below', 'above']),
  }),
});

export const dnsChange = z.object({
  ...common,
  type: described(z.literal('dns_change'), 'What a domain publishes, or what is wrong with it, changed'),
  metadata: z.object(changeFields),
});

const reportFields = {
  reportType: z.enum(['dmarc', 'tls']),
  reportId: described(uuid, 'The id of the stored report'),
  reporter: described(z.string(), 'As orgName or organizationName of the stored report'),
  dateRangeBegin: timestamp,
  dateRangeEnd: timestamp,
  passed: described(count, 'Messages of a DMARC report, sessions of a TLS report'),
  failed: count,
  authenticated: described(
    z.optional(z.nullable(z.boolean())),
    'Whether the mail that brought the report passed DMARC, so that it is proven who sent it; null: could not be found out',
  ),
};

export const newReport = z.object({
  ...common,
  type: described(z.literal('new_report'), 'The first report of a reporter on a day was received'),
  metadata: z.object(reportFields),
});

export const reportFailure = z.object({
  ...common,
  type: described(z.literal('report_failure'), 'More than 5 % of at least 10 reported messages failed DMARC'),
  metadata: z.object({
    ...reportFields,
    failureRate: described(
      z.number().check(z.minimum(0), z.maximum(100)),
      'Percentage of failed messages with two decimals',
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

/** An alert in the API's form: the rules that make alerts write the metadata of their type. */
export function showAlert(stored: Alert): z.output<typeof alert> {
  return stored as unknown as z.output<typeof alert>;
}
