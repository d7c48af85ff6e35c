import { localPartsAt, readNotification } from '../../shared/intake/notification.ts';
import { admitMail, isFlooded, leaveUnread } from '../../shared/intake/quotas.ts';
import { openReportMail, type ReadReportMail, takeReportMail } from '../../shared/intake/take-mail.ts';
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

export const handler = worker(
  triggers.receiveReportMail,
  () => ({
    domains: domainStore(table()),
    stores: storesThatTell(),
    raw: mail(),
    dns: dns(),
    clock,
    record,
    settings: config(),
  }),
  async (message: unknown, { domains, stores, raw, dns, clock, record, settings }) => {
    const stored = readNotification(message);
    if (stored === undefined) return;
    const now = clock.now();
    const mailboxes = localPartsAt(settings.REPORTS_DOMAIN, stored.recipients);
    const owners = (
      await Promise.all(
        mailboxes.map(async (mailbox) => {
          const domain = await domains.ofMailbox(mailbox);
          return domain === undefined ? [] : [{ mailbox, domain }];
        }),
      )
    ).flat();
    const floods = await Promise.all(owners.map(({ domain }) => isFlooded(domain, stores.rates, now)));
    const opened =
      owners.length === 0
        ? undefined
        : await openReportMail(stored, { raw, dns, isFlooded: floods.includes(true) });

    let taken: ReadReportMail | undefined;
    let isKept = false;
    for (const { mailbox, domain } of owners) {
      if (opened === undefined) break;
      const { authentication } = opened;
      const isRead = await admitMail(domain, authentication?.authenticated ?? null, stores.rates, now);
      if (isRead) taken ??= await opened.read();
      const received = { ...stored, alsoFor: mailboxes.filter((other) => other !== mailbox) };
      const taking = { domain, unauthenticated: settings.UNAUTHENTICATED_REPORTS };
      const outcomes =
        isRead && taken !== undefined
          ? await takeReportMail(received, taken, taking, { stores, now })
          : await leaveUnread({ ...received, authentication }, domain, stores);
      for (const { kind } of outcomes ?? [])
        record('report', { outcome: kind, domainId: domain.id, messageId: stored.messageId });
      isKept ||= outcomes !== undefined;
    }
    record('mail', {
      inbound: 'reports',
      outcome: isKept ? 'kept' : 'dropped',
      messageId: stored.messageId,
    });
    // The domain was removed after its mail was taken: nobody may read it, so nobody keeps it.
    if (!isKept) await raw.remove(stored.rawKey);
  },
);

function storesThatTell() {
  const stores = reportStores(table(), { retentionDays: config().RETENTION_DAYS });
  return { ...stores, alerts: recordRaised(stores.alerts) };
}
