/**
 * Which reports come from large receivers. The `org_name` of a report says whatever its author likes, so only the authenticated
 * domain of its mail counts.
 */
import { isWithin } from '../protocol/domain-name.ts';

/**
 * The domains in the From field of the report mail of Google, Microsoft and Yahoo, the receivers with the most mailboxes,
 * as of November 2026. Everybody can have a mailbox at yahoo.com, outlook.com, gmail.com and aol.com, and send
 * authenticated mail from there, so these domains themselves are not among them.
 */
const LARGE_RECEIVERS = ['google.com', 'microsoft.com', 'dmarc.yahoo.com'];

/** Whether this authenticated domain of a report mail belongs to a large receiver. */
export const isLargeReceiver = (domain: string | null): boolean =>
  domain !== null && LARGE_RECEIVERS.some((known) => isWithin(domain, known));
