/** The response of the summary of an organization. */
import * as z from 'zod/mini';
import type { AlertSeverity } from '../alerts/alert.ts';
import { organizationTotals } from '../enforcement/organization-shapes.ts';
import { count, described, list } from '../protocol/schema.ts';
import { grade } from '../score/grade.ts';
import { MOST_COUNTED_ITEMS } from '../store/attention.ts';
import { domainCounts } from '../store/domains/domain-counts.ts';

/** Bounds what counting reads: an alert has about 0.7 KB. */
export const MOST_COUNTED_ALERTS = 100;

/** Bounds what counting due domains reads: normally, a sweep takes them within a minute. */
export const MOST_DUE_PER_SHARD = 25;

const attentionCount = (severity: AlertSeverity, example: number) =>
  described(
    z.object({
      count: described(
        count.check(z.maximum(MOST_COUNTED_ITEMS)),
        `Number of the first ${MOST_COUNTED_ITEMS} open items that are not put off`,
        example,
      ),
      hasMore: described(z.boolean(), `Whether there are more than ${MOST_COUNTED_ITEMS} open items`, false),
    }),
    `The open items with severity ${severity}`,
  );

const gradeCount = z.object({
  grade: described(grade, 'The grade', 'A'),
  count: described(count, 'Number of domains with this grade', 60),
});

export const summary = z.object({
  domains: described(
    z.extend(domainCounts, {
      grades: described(
        list(gradeCount),
        'The same as `byGrade`, as a list from the best grade to the worst',
      ),
    }),
    'The domains of the organization',
  ),
  domainsDue: described(
    z.object({
      count: described(count, 'Number of verified domains whose check is due and not queued yet', 2),
      hasMore: described(
        z.boolean(),
        'Whether there may be more: many domains of the service are due',
        false,
      ),
    }),
    'The domains whose scheduled check is due',
  ),
  unreadAlerts: described(
    z.object({
      count: described(
        count.check(z.maximum(MOST_COUNTED_ALERTS)),
        `Number of unread alerts, at most ${MOST_COUNTED_ALERTS}`,
        3,
      ),
      hasMore: described(z.boolean(), `Whether there are more than ${MOST_COUNTED_ALERTS}`, false),
    }),
    'The unread alerts of the organization',
  ),
  attention: described(
    z.object({
      critical: attentionCount('critical', 1),
      warning: attentionCount('warning', 2),
      info: attentionCount('info', 4),
    }),
    'What needs a person now, as `GET /api/v1/attention` lists it, by severity',
  ),
  dmarc: described(
    organizationTotals,
    'The DMARC reports of the last 30 days. Each domain is summed when its reports are rolled up, which the first report ' +
      'of a day and each scheduled check cause; for 300 domains or more, the result is kept for up to an hour',
  ),
});
