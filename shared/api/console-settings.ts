/** Requests of the settings page of the console. What fields contain is checked as in a request of the API. */
import * as z from 'zod/mini';
import type { EventName } from '../alerts/event.ts';
import { channel } from '../alerts/notification.ts';
import { paginationQuery, tokenPath } from './common.ts';
import { chosen, formToken, proof, sessionsToEnd, text } from './console.ts';

/** A page of the audit log costs what all pages before it cost. */
const MAX_AUDIT_PAGE = 100;

export const settingsQuery = z.object({
  page: paginationQuery.shape.page.check(
    z.refine((page) => page <= MAX_AUDIT_PAGE, `must not exceed ${MAX_AUDIT_PAGE}`),
  ),
});

const eventFields = {
  'domain.verified': chosen,
  'checks.completed': chosen,
  'report.received': chosen,
  'domain.unproven': chosen,
  'token.created': chosen,
  'attention.opened': chosen,
  'attention.closed': chosen,
} satisfies Record<EventName, typeof chosen>;

/** An address or a URL that is empty turns its channel off. */
export const notificationsForm = z.object({
  formToken,
  proof,
  address: text(320),
  mailThreshold: text(20),
  digest: text(10),
  digestWeekday: text(10),
  digestHour: text(10),
  digestTimeZone: text(40),
  url: text(2048),
  webhookThreshold: text(20),
  format: text(20),
  ...eventFields,
});

/** What to ask about before it is done: revoking a token, or signing out everywhere. */
export const askQuery = z.object({
  about: z.enum(['token', 'sessions']),
  id: z.optional(tokenPath.shape.id),
  created: chosen,
});

export const testForm = z.object({ formToken, channel });

export const createTokenForm = z.object({
  formToken,
  proof,
  name: text(200),
  scope: text(20),
  /** A day; empty for the expiry of the session's token. */
  expiresOn: text(10),
  /** Separated by commas or spaces. */
  networks: text(3000),
});

/** `created`: also what the token created. */
export const revokeTokenForm = z.object({ formToken, proof, id: tokenPath.shape.id, created: chosen });

export const endSessionsForm = z.object({ formToken, ...sessionsToEnd.shape });
