import { mailboxPath, runBody } from '../../api/mailboxes.ts';
import type { Clock } from '../../network/ports.ts';
import type { FetchedMailboxStore, Mailbox, MailboxReference } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { CallerOf, InputOf, MessageSender, Operation, OutcomeOf } from '../operation.ts';
import { countConnection, mailboxSubjectOf, noSuchMailbox, onMailbox } from './on-mailbox.ts';

export const operation = {
  name: 'runMailbox',
  summary: 'Read a mailbox now',
  description:
    'The run starts within seconds, unless one is under way. Its result is shown with the mailbox.',
  scope: 'write',
  on: mailboxPath,
  input: runBody,
  refusals: ['not_found', 'rate_limited'],
  uses: ['fetched-mailboxes:write', 'queue:mailboxes'],
} as const satisfies Operation;

export interface RunMailboxDependencies {
  readonly mailboxes: Pick<FetchedMailboxStore, 'get' | 'dueNow'>;
  readonly runs: MessageSender<MailboxReference>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

export const runMailbox = (
  caller: CallerOf<typeof operation>,
  { id, again }: InputOf<typeof operation>,
  { mailboxes, runs, rates, clock }: RunMailboxDependencies,
): Promise<OutcomeOf<typeof operation, Mailbox>> =>
  onMailbox(caller, id, { mailboxes }, async (mailbox): Promise<OutcomeOf<typeof operation, Mailbox>> => {
    const { organization } = caller;
    const refused = await countConnection(rates, organization, clock.now());
    if (refused !== undefined) return refused;
    // What is sent can find the mailbox with another run; it is then due for the next one.
    if (!(await mailboxes.dueNow(mailbox, again, clock.now()))) return noSuchMailbox();
    await runs.send({ organization, id });
    return { value: mailbox, subjects: [mailboxSubjectOf(mailbox)] };
  });
