/** Requests of the page of mailboxes of the console. What fields contain is checked as in a request of the API. */
import * as z from 'zod/mini';
import { formToken, text } from './console.ts';
import { MAX_FOLDER, MAX_KEY, MAX_MAILBOX_NAME, MAX_URL, MAX_USER, mailboxPath } from './mailboxes.ts';

export const addMailboxForm = z.object({
  formToken,
  name: text(MAX_MAILBOX_NAME),
  host: text(253),
  security: text(20),
  /** Empty for the usual one. */
  port: text(5),
  user: text(MAX_USER),
  /** The password, with a token URL the secret of the client, or the JSON key of a service account of Google. */
  secret: text(MAX_KEY),
  /** Empty without OAuth, as the next two. */
  tokenUrl: text(MAX_URL),
  clientId: text(MAX_USER),
  scope: text(MAX_URL),
  folder: text(MAX_FOLDER),
  after: text(20),
  /** Empty if mails are not moved. */
  moveTo: text(MAX_FOLDER),
  everyMinutes: text(4),
});

/** `again`: read all mails of the folder again. */
export const runMailboxForm = z.object({
  formToken,
  id: mailboxPath.shape.id,
  again: z.optional(z.literal('on')),
});

export const removeMailboxForm = z.object({ formToken, id: mailboxPath.shape.id });
