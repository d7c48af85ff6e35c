/** What is calculated from the DMARC reports of all domains of an organization, as the API shows it. */
import * as z from 'zod/mini';
import { formatNumber } from '../protocol/quantity.ts';
import { count, described, domainName, list, timestamp, uuid } from '../protocol/schema.ts';
import { seenReporter } from '../store/reports/domain-sums.ts';
import { day, dmarcCounts, seen, senderId, senderKind, senderName } from './sender-fields.ts';

/** The domains that a source names. */
export const MOST_NAMED = 5;
/** A response is calculated from about 0.6 KB per domain. */
export const MOST_DOMAINS = 50_000;

export const organizationSource = z.object({
  ...{ id: senderId, name: senderName, kind: senderKind, ...dmarcCounts, ...seen },
  domains: described(count, 'Number of domains that it sends as', 12),
  mostFailed: described(
    list(
      z.object({
        domainId: described(uuid, 'ID of the domain'),
        domain: described(domainName, 'The domain'),
        failedMessages: dmarcCounts.failedMessages,
      }),
    ),
    `The domains with the most messages of the sender that failed, at most ${MOST_NAMED}`,
  ),
});

export type OrganizationSource = z.infer<typeof organizationSource>;

export const organizationTotals = z.object({
  startDate: described(day, 'The first day, UTC'),
  endDate: described(day, 'The present day, UTC'),
  asOf: described(z.nullable(timestamp), 'When a domain was last summed; `null` without reports'),
  domains: described(count, 'Number of domains with messages', 80),
  hasMore: described(
    z.boolean(),
    `Whether only the first ${formatNumber(MOST_DOMAINS)} domains with reports are counted`,
    false,
  ),
  ...dmarcCounts,
});

export type OrganizationTotals = z.infer<typeof organizationTotals>;

const dayTotals = z.object({ day: z.string(), messages: z.number(), passed: z.number() });

/** What is calculated together, and kept for large organizations. */
export const organizationSums = z.object({
  totals: organizationTotals,
  /** Most messages first. */
  sources: z.array(organizationSource),
  /** Days with messages, oldest first. */
  days: z.array(dayTotals),
  /** The authenticated ones; `days` is that of the domain with the most. */
  reporters: z.array(seenReporter),
});

export type OrganizationSums = z.infer<typeof organizationSums>;
