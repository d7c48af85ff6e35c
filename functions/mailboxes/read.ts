import { runMailbox } from '../../shared/ingest/run-mailbox.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { cipher } from '../../shared/runtime/dependencies/cipher.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { ingestStores } from '../../shared/runtime/dependencies/ingest-stores.ts';
import { mailboxConnections } from '../../shared/runtime/dependencies/mailbox-connections.ts';
import { writableRawMessages } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionChanges } from '../../shared/store/attention-changes.ts';
import { batchedTable } from '../../shared/store/batched-table.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import {
  fetchedMailboxStore,
  mailboxReference,
  mailboxSecretStore,
} from '../../shared/store/fetched-mailboxes.ts';
import { inboundMail, triggers } from '../triggers.ts';

/** Longer than an invocation can take, and shorter than the time after which the message of a crashed one is received again. */
const LEASE_SECONDS = 1.1 * triggers.readMailbox.timeoutSeconds;

export const handler = worker(
  triggers.readMailbox,
  mailboxReference,
  () => ({
    mailboxes: fetchedMailboxStore(table()),
    secrets: mailboxSecretStore(table(), cipher),
    attention: attentionChanges(table(), notificationSettingsStore(table())),
    table: table(),
    domains: domainStore(table()),
    stores: ingestStores(batchedTable(table())),
    raw: writableRawMessages(),
    prefix: inboundMail.reports.prefix,
    unauthenticated: config().UNAUTHENTICATED_REPORTS,
    ...mailboxConnections(),
    queueAgain: queue('mailboxes').send,
    ...{ dns: dns(), clock, record },
  }),
  async (reference, { record, ...deps }, work) => {
    const outcome = await runMailbox(
      reference,
      {
        ...deps,
        onStored({ stored }) {
          for (const { domain, messageId, outcomes, isKnown } of stored) {
            if (isKnown) continue;
            for (const { kind } of outcomes)
              record('report', { outcome: kind, domainId: domain.id, messageId });
          }
          const [first] = stored;
          record('mail', { inbound: 'mailbox', outcome: 'kept', messageId: first?.messageId });
        },
      },
      { milliseconds: work.remainingMilliseconds, leaseSeconds: LEASE_SECONDS },
    );
    const { organization, id: mailbox } = reference;
    const nothing = { read: 0, accepted: 0, remaining: 0 };
    if (outcome.status === 'read')
      record('mailbox run', { organization, mailbox, ...outcome, outcome: 'read' });
    if (outcome.status !== 'failed') return;
    record('mailbox run', { organization, mailbox, ...nothing, outcome: outcome.error.code });
    // The operator has to know of it, too.
    if (outcome.cause !== undefined) throw outcome.cause;
  },
);
