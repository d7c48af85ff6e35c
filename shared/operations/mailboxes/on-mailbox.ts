/** What the operations on mailboxes have in common. */
import { missing } from '../../api/common.ts';
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

/** How long a request waits for a server, below the limit of API Gateway. */
export const REQUEST_MILLISECONDS = 20_000;
