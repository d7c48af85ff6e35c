/** What the operations on mailboxes have in common. */
import { missing } from '../../api/common.ts';
import type { MailboxSecret, MailboxSettings } from '../../mailboxes/mailbox.ts';
import { type MailboxConnections, openMailbox } from '../../mailboxes/open.ts';
import { errorOf, type MailboxError } from '../../mailboxes/problem.ts';
import type { FetchedMailboxStore, Mailbox } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { Caller } from '../operation.ts';
import { Refused, type Subject, tooOften } from '../outcome.ts';

/** Does something with a mailbox of the organization of the caller; refused if there is none with this ID. */
export async function onMailbox<Result>(
  { organization }: Pick<Caller, 'organization'>,
  id: string,
  { mailboxes }: { readonly mailboxes: Pick<FetchedMailboxStore, 'get'> },
  perform: (mailbox: Mailbox) => Result | Promise<Result>,
): Promise<Result | Refused<'not_found'>> {
  const mailbox = await mailboxes.get({ organization, id });
  return mailbox === undefined ? noSuchMailbox() : perform(mailbox);
}

export const noSuchMailbox = (): Refused<'not_found'> => new Refused('not_found', missing.mailbox);

/** A mailbox in the audit log. */
export const mailboxSubjectOf = ({ id, name }: Pick<Mailbox, 'id' | 'name'>): Subject => ({ id, name });

/** Each is a connection to a host of the organization's choice, and most send a password there. */
const ON_REQUEST = { limit: 60, windowMilliseconds: 3_600_000 };

/** Counts a connection to a mailbox that is made on request; undefined if it is allowed. */
export async function countConnection(
  rates: Pick<RateStore, 'consume'>,
  organization: string,
  now: Date,
): Promise<Refused<'rate_limited'> | undefined> {
  const decision = await rates.consume('mailboxes-on-request', organization, ON_REQUEST, now);
  return decision.allowed ? undefined : tooOften(decision.retryAfterMilliseconds);
}

/** How many mails are in the folder, or why it cannot be opened. */
export type Tried =
  | { readonly messages: number; readonly error: null }
  | { readonly messages: null; readonly error: MailboxError };

/** How long a request waits for a server, below the limit of API Gateway. */
const REQUEST_MILLISECONDS = 20_000;

/** Signs in and opens the folder, without changing anything. Throws what is no fault of the mailbox. */
export async function tryMailbox(
  settings: MailboxSettings,
  secret: MailboxSecret,
  connections: MailboxConnections,
): Promise<Tried> {
  try {
    const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
    const folder = await openMailbox(settings, secret, signal, connections);
    await folder.close();
    return { messages: folder.messages, error: null };
  } catch (cause) {
    const error = errorOf(cause);
    if (error.code === 'internal') throw cause;
    return { messages: null, error };
  }
}
