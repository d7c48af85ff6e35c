import { ingestReportMail, openReportMail, type ReadReportMail } from '../../shared/ingest/ingest-mail.ts';
import { localPartsAt, readNotification } from '../../shared/ingest/notification.ts';
import { admitMail, isFlooded, leaveUnread, overQuota, type Unread } from '../../shared/ingest/quotas.ts';
import { config } from '../../shared/runtime/config.ts';
import { dns } from '../../shared/runtime/dns.ts';
import { mail } from '../../shared/runtime/mail.ts';
import { record } from '../../shared/runtime/metric.ts';
import { recordRaised } from '../../shared/runtime/record-alerts.ts';
import { reportStores } from '../../shared/runtime/report-stores.ts';
import { clock, table } from '../../shared/runtime/services.ts';
import { worker } from '../../shared/runtime/worker.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { triggers } from '../triggers.ts';

/** The last receive of a message: if it fails too, the message goes to the dead-letter queue. */
const LAST_RECEIVE = triggers.receiveReportMail.source.maxReceiveCount;

/**
 * The outcome of a mail until it is read, recorded on the last receive. If its message ends in the dead-letter queue,
 * `replay` finds the mail by this outcome; otherwise, the outcomes of its reports replace it.
 */
const notRead: Unread = {
  kind: 'not-read',
  source: 'mail',
  reason: `it was received ${LAST_RECEIVE} times, and not read to its end`,
  report: null,
};

export const handler = worker(
  triggers.receiveReportMail,
  () => ({
    domains: domainStore(table()),
    stores: storesWithAlerts(),
    raw: mail(),
    dns: dns(),
    clock,
    record,
    settings: config(),
  }),
  async (message: unknown, { domains, stores, raw, dns, clock, record, settings }, work) => {
    const stored = readNotification(message);
    if (stored === undefined) return;
    const now = clock.now();
    const mailboxes = localPartsAt(settings.REPORTS_DOMAIN, stored.recipients);
    const owners = (
      await Promise.all(
        mailboxes.map(async (mailbox) => {
          const domain = await domains.ofMailbox(mailbox);
          const alsoFor = mailboxes.filter((other) => other !== mailbox);
          return domain === undefined ? [] : [{ domain, received: { ...stored, alsoFor } }];
        }),
      )
    ).flat();
    if (work.attempt() >= LAST_RECEIVE) {
      for (const { domain, received } of owners)
        await leaveUnread({ ...received, authentication: null }, notRead, domain, stores);
    }
    const floods = await Promise.all(owners.map(({ domain }) => isFlooded(domain, stores.rates, now)));
    const opened =
      owners.length === 0
        ? undefined
        : await openReportMail(stored, { raw, dns, isFlooded: floods.includes(true) });

    let readMail: ReadReportMail | undefined;
    let isKept = false;
    for (const { domain, received } of owners) {
      if (opened === undefined) break;
      const { authentication } = opened;
      const isAdmitted = await admitMail(domain, authentication?.authenticated ?? null, stores.rates, now);
      if (isAdmitted) readMail ??= await opened.read();
      const context = { domain, unauthenticated: settings.UNAUTHENTICATED_REPORTS };
      const outcomes =
        isAdmitted && readMail !== undefined
          ? await ingestReportMail(received, readMail, context, { stores, now })
          : await leaveUnread({ ...received, authentication }, overQuota(authentication), domain, stores);
      for (const { kind } of outcomes ?? [])
        record('report', { outcome: kind, domainId: domain.id, messageId: stored.messageId });
      isKept ||= outcomes !== undefined;
    }
    record('mail', {
      inbound: 'reports',
      outcome: isKept ? 'kept' : 'dropped',
      messageId: stored.messageId,
    });
    // The domain was removed after its mail was accepted, so the mail is deleted too.
    if (!isKept) await raw.remove(stored.rawKey);
  },
);

function storesWithAlerts() {
  const stores = reportStores(table(), { retentionDays: config().RETENTION_DAYS });
  return { ...stores, alerts: recordRaised(stores.alerts) };
}
