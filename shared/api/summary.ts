/** The response of the summary of an organization. */
import * as z from 'zod/mini';
import { count, described } from '../protocol/schema.ts';
import { domainCounts } from '../store/domains/domain-counts.ts';

/** Bounds what counting reads: an alert has about 0.7 KB. */
export const MOST_COUNTED_ALERTS = 100;

export const summary = z.object({
  domains: described(domainCounts, 'The domains of the organization'),
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
});
