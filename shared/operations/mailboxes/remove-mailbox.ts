import { mailboxPath } from '../../api/mailboxes.ts';
import type { Clock } from '../../network/ports.ts';
import type { AttentionChanges } from '../../store/attention-changes.ts';
import { untilUncontended } from '../../store/contention.ts';
import {
  type FetchedMailboxStore,
  type Mailbox,
  removeMailbox as remove,
} from '../../store/fetched-mailboxes.ts';
import type { Table } from '../../store/table.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { mailboxSubjectOf, noSuchMailbox, versionOf } from './on-mailbox.ts';

export const operation = {
  name: 'removeMailbox',
  summary: 'Remove a mailbox, and the password that is stored for it',
  description: 'Reports that were fetched stay. Nothing changes in the mailbox itself.',
  scope: 'write',
  on: mailboxPath,
  refusals: ['not_found', 'precondition_failed'],
  uses: ['fetched-mailboxes:write', 'mailbox-secrets:write', 'organizations:write'],
} as const satisfies Operation;

export interface RemoveMailboxDependencies {
  readonly mailboxes: Pick<FetchedMailboxStore, 'get'>;
  readonly attention: Pick<AttentionChanges, 'mailboxClosings'>;
  readonly table: Table;
  readonly clock: Clock;
}

/** Removes a mailbox with its attention item; returns what it was. */
export const removeMailbox = (
  caller: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { mailboxes, attention, table, clock }: RemoveMailboxDependencies,
): Promise<OutcomeOf<typeof operation, Mailbox>> =>
  // An item can be opened or closed between the read and the write.
  untilUncontended(async (): Promise<OutcomeOf<typeof operation, Mailbox> | undefined> => {
    const { organization } = caller;
    const mailbox = await mailboxes.get({ organization, id });
    if (mailbox === undefined) return noSuchMailbox();
    if (!caller.isCurrent(versionOf(mailbox))) return new Refused('precondition_failed');
    const closings = await attention.mailboxClosings(organization, id, clock.now());
    const isRemoved = await remove(table, { organization, id }, closings);
    return isRemoved ? { value: mailbox, subjects: [mailboxSubjectOf(mailbox)] } : undefined;
  });
