/** Requests of the alert endpoints; the responses are those of `shared/alerts/alert.ts`. */
import * as z from 'zod/mini';
import { alertSeverity } from '../alerts/alert.ts';
import { described } from '../protocol/schema.ts';
import { boundedPagination, continuing, flag } from './common.ts';
import { jsonObject } from './json-object.ts';
import { sinceBeforeUntil, sinceUntil } from './report-queries.ts';

const pagination = boundedPagination(
  10_000,
  'use pageToken, or narrow the list with since, until or a filter',
);

export const alertGrouping = described(
  z.enum(['cause'], 'must be cause'),
  '`cause`: alerts about the same check, sender or kind of report of a domain, and of the same type and severity',
);

export const alertsQuery = z
  .object({
    ...pagination.shape,
    ...continuing.shape,
    ...sinceUntil,
    domainId: described(
      z.optional(z.string().check(z.toLowerCase())),
      'Return only alerts of the domain with this ID',
      '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
    ),
    severity: described(z.optional(alertSeverity), 'Return only alerts with this severity'),
    unreadOnly: flag('Return only unread alerts'),
    groupBy: described(
      z.optional(alertGrouping),
      'Return only the newest alert about each cause, with the number of alerts about it; considers the newest 500 alerts',
    ),
  })
  .check(
    pagination.check,
    continuing.check,
    sinceBeforeUntil,
    z.refine(({ groupBy, pageToken }) => groupBy === undefined || pageToken === undefined, {
      error: 'must not be combined with groupBy, because a new alert moves its cause to the first page',
      path: ['pageToken'],
    }),
  );

export const markReadBody = jsonObject({
  read: described(z.literal(true, 'must be true: alerts cannot be marked as unread'), 'Always true', true),
});
