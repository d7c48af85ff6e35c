import { mailboxPath } from '../../api/mailboxes.ts';
import { type MailboxConnections, openMailbox } from '../../mailboxes/open.ts';
import { errorOf, type MailboxError, problem } from '../../mailboxes/problem.ts';
import type { Clock } from '../../network/ports.ts';
import type { FetchedMailboxStore, MailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { countConnection, onMailbox, REQUEST_MILLISECONDS } from './on-mailbox.ts';

export const operation = {
  name: 'testMailbox',
  summary: 'Sign in to a mailbox and count the mails of its folder, without changing anything',
  scope: 'write',
  on: mailboxPath,
  refusals: ['not_found', 'rate_limited'],
  uses: ['fetched-mailboxes:read', 'mailbox-secrets:read', 'dns'],
} as const satisfies Operation;

export interface TestMailboxDependencies extends MailboxConnections {
  readonly mailboxes: Pick<FetchedMailboxStore, 'get'>;
  readonly secrets: Pick<MailboxSecretStore, 'secretOf'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

/** How many mails are in the folder, or why it cannot be opened. */
type Tested =
  | { readonly messages: number; readonly error: null }
  | { readonly messages: null; readonly error: MailboxError };

export const testMailbox = (
  caller: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { mailboxes, secrets, rates, clock, ...connections }: TestMailboxDependencies,
): Promise<OutcomeOf<typeof operation, Tested>> =>
  onMailbox(caller, id, { mailboxes }, async (mailbox): Promise<OutcomeOf<typeof operation, Tested>> => {
    const refused = await countConnection(rates, caller.organization, clock.now());
    if (refused !== undefined) return refused;
    const secret = await secrets.secretOf(mailbox);
    if (secret === undefined)
      return { value: { messages: null, error: problem('secret-missing', 'what signs in is not stored') } };
    try {
      const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
      const folder = await openMailbox(mailbox, secret, signal, connections);
      await folder.close();
      return { value: { messages: folder.messages, error: null } };
    } catch (cause) {
      const error = errorOf(cause);
      if (error.code === 'internal') throw cause;
      return { value: { messages: null, error } };
    }
  });
