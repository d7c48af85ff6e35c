/** What operations on mailboxes need. */
import type { RemoveMailboxDependencies } from '../../operations/mailboxes/remove-mailbox.ts';
import type { RunMailboxDependencies } from '../../operations/mailboxes/run-mailbox.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { attentionChanges } from '../../store/attention-changes.ts';
import { fetchedMailboxStore, mailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { queue } from '../workers/queue.ts';
import { cipher } from './cipher.ts';
import { mailboxConnections } from './mailbox-connections.ts';
import { clock, table } from './services.ts';

const common = () => ({ mailboxes: fetchedMailboxStore(table()), rates: rateStore(table()), clock });

/** What adding, changing and testing a mailbox needs, which sign in to it. */
export const connectedDependencies = () => ({
  ...common(),
  secrets: mailboxSecretStore(table(), cipher),
  ...mailboxConnections(),
});

export const runMailboxDependencies = (): RunMailboxDependencies => ({
  ...common(),
  runs: queue('mailboxes'),
});

export const removeMailboxDependencies = (): RemoveMailboxDependencies => ({
  ...common(),
  attention: attentionChanges(table(), notificationSettingsStore(table())),
  table: table(),
});
