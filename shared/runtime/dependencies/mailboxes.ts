/** What operations on mailboxes need. */
import type { AddMailboxDependencies } from '../../operations/mailboxes/add-mailbox.ts';
import type { RemoveMailboxDependencies } from '../../operations/mailboxes/remove-mailbox.ts';
import type { RunMailboxDependencies } from '../../operations/mailboxes/run-mailbox.ts';
import type { TestMailboxDependencies } from '../../operations/mailboxes/test-mailbox.ts';
import type { UpdateMailboxDependencies } from '../../operations/mailboxes/update-mailbox.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { attentionChanges } from '../../store/attention-changes.ts';
import { fetchedMailboxStore, mailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { queue } from '../workers/queue.ts';
import { cipher } from './cipher.ts';
import { mailboxConnections } from './mailbox-connections.ts';
import { clock, table } from './services.ts';

const common = () => ({ mailboxes: fetchedMailboxStore(table()), rates: rateStore(table()), clock });

const withConnection = () => ({
  ...common(),
  secrets: mailboxSecretStore(table(), cipher),
  ...mailboxConnections(),
});

export const addMailboxDependencies = (): AddMailboxDependencies => withConnection();

export const testMailboxDependencies = (): TestMailboxDependencies => withConnection();

export const updateMailboxDependencies = (): UpdateMailboxDependencies => withConnection();

export const runMailboxDependencies = (): RunMailboxDependencies => ({
  ...common(),
  runs: queue('mailboxes'),
});

export const removeMailboxDependencies = (): RemoveMailboxDependencies => ({
  ...common(),
  attention: attentionChanges(table(), notificationSettingsStore(table())),
  table: table(),
});
