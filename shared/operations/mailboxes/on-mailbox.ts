/** What the operations on mailboxes have in common. */
import { missing } from '../../api/common.ts';
import type { MailboxSecret, MailboxSettings } from '../../mailboxes/mailbox.ts';
import { type MailboxConnections, openMailbox } from '../../mailboxes/open.ts';
import { errorOf, explain, type MailboxError, type MailboxProblemCode } from '../../mailboxes/problem.ts';
import type { FetchedMailboxStore, Mailbox } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { Caller } from '../operation.ts';
import { invalid, Refused, type Subject, tooOften } from '../outcome.ts';
import { versionAt } from '../version.ts';

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

/** The version of the settings of a mailbox. */
export const versionOf = ({ changedAt, createdAt }: Pick<Mailbox, 'changedAt' | 'createdAt'>): string =>
  versionAt(changedAt ?? createdAt);

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
export const REQUEST_MILLISECONDS = 20_000;

/**
 * Signs in and opens the folder, without changing anything. Throws what is no fault of the mailbox.
 * @param keep Stores what signs in from now on. @param signal Ends the attempt.
 */
export async function tryMailbox(
  settings: MailboxSettings,
  secret: MailboxSecret,
  keep: (secret: MailboxSecret) => Promise<void>,
  signal: AbortSignal,
  connections: MailboxConnections,
): Promise<Tried> {
  try {
    const folder = await openMailbox(settings, secret, keep, signal, connections);
    await folder.close();
    return { messages: folder.messages, error: null };
  } catch (cause) {
    const error = errorOf(cause);
    if (error.code === 'internal') throw cause;
    return { messages: null, error };
  }
}

/** Tries a mailbox before it is stored. Returns what signs in to it from then on, or refuses what does not work. */
export async function requireWorking(
  settings: MailboxSettings,
  given: MailboxSecret,
  connections: MailboxConnections,
): Promise<MailboxSecret | Refused<'invalid_request'>> {
  let secret = given;
  const keep = async (next: MailboxSecret) => {
    secret = next;
  };
  const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
  const { error } = await tryMailbox(settings, given, keep, signal, connections);
  if (error === null) return secret;
  const { code, message, fix } = explain(error);
  const isOfAccount = settings.signIn.kind === 'google-service-account' && code.startsWith('token-');
  const path = isOfAccount
    ? 'signIn.serviceAccountKey'
    : (fieldOf[code] ?? (settings.source === 'imap' ? 'host' : 'user'));
  const used = secret === given ? '' : ' The refresh token was used for this attempt: enter a new one.';
  return invalid({ path, message: `does not work: ${message.replace(/\.$/, '')}. ${fix}${used}` });
}

/** Which field of the input a problem is about; by default the server, or for an API the user. */
const fieldOf: Readonly<Partial<Record<MailboxProblemCode, string>>> = {
  'sign-in-refused': 'signIn.password',
  'token-not-accepted': 'user',
  'wrong-user': 'user',
  'mailbox-not-found': 'user',
  'api-token': 'signIn.scope',
  'token-unreachable': 'signIn.tokenUrl',
  'token-tenant': 'signIn.tokenUrl',
  'token-client': 'signIn.clientId',
  'token-client-secret': 'signIn.clientSecret',
  'token-refresh': 'signIn.refreshToken',
  'token-scope': 'signIn.scope',
  'token-refused': 'signIn',
  'folder-not-found': 'folder',
  'folder-read-only': 'after',
  'cannot-remove': 'after',
};
