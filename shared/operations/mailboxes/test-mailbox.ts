import { mailboxPath } from '../../api/mailboxes.ts';
import type { MailboxConnections } from '../../mailboxes/open.ts';
import { problem } from '../../mailboxes/problem.ts';
import type { Clock } from '../../network/ports.ts';
import type { FetchedMailboxStore, MailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { countConnection, onMailbox, type Tried, tryMailbox } from './on-mailbox.ts';

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

export const testMailbox = (
  caller: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { mailboxes, secrets, rates, clock, ...connections }: TestMailboxDependencies,
): Promise<OutcomeOf<typeof operation, Tried>> =>
  onMailbox(caller, id, { mailboxes }, async (mailbox): Promise<OutcomeOf<typeof operation, Tried>> => {
    const refused = await countConnection(rates, caller.organization, clock.now());
    if (refused !== undefined) return refused;
    const secret = await secrets.secretOf(mailbox);
    if (secret === undefined)
      return { value: { messages: null, error: problem('secret-missing', 'what signs in is not stored') } };
    return { value: await tryMailbox(mailbox, secret, connections) };
  });
