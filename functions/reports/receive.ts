import { localPartsAt, readNotification } from '../../shared/intake/notification.ts';
import { readReportMail, takeReportMail } from '../../shared/intake/take-mail.ts';
import { config } from '../../shared/runtime/config.ts';
import { dns } from '../../shared/runtime/dns.ts';
import { mail } from '../../shared/runtime/mail.ts';
import { countMetric } from '../../shared/runtime/metric.ts';
import { reportStores } from '../../shared/runtime/report-stores.ts';
import { clock, table } from '../../shared/runtime/services.ts';
import { worker } from '../../shared/runtime/worker.ts';
import { domainStore } from '../../shared/store/domains.ts';
import { triggers } from '../triggers.ts';

export const handler = worker(
  triggers.receiveReportMail,
  () => ({
    domains: domainStore(table()),
    stores: reportStores(table(), { retentionDays: config().RETENTION_DAYS }),
    raw: mail(),
    dns: dns(),
    clock,
    count: countMetric,
    settings: config(),
  }),
  async (message: unknown, { domains, stores, raw, dns, clock, count, settings }) => {
    const stored = readNotification(message);
    if (stored === undefined) return;
    const now = clock.now();
    const mailboxes = localPartsAt(settings.REPORTS_DOMAIN, stored.recipients);
    const owners = await Promise.all(
      mailboxes.map(async (mailbox) => ({ mailbox, domain: await domains.ofMailbox(mailbox) })),
    );
    const taken = owners.some(({ domain }) => domain !== undefined)
      ? await readReportMail(stored, { raw, dns, now })
      : undefined;

    let isKept = false;
    for (const { mailbox, domain } of owners) {
      if (domain === undefined || taken === undefined) continue;
      const outcomes = await takeReportMail(
        { ...stored, alsoFor: mailboxes.filter((other) => other !== mailbox) },
        taken,
        { domain, unauthenticated: settings.UNAUTHENTICATED_REPORTS },
        { stores, now },
      );
      for (const { kind } of outcomes ?? []) count('ReportMails', { outcome: kind }, now);
      isKept ||= outcomes !== undefined;
    }
    if (isKept) return;
    // The domain was removed after its mail was taken: nobody may read it, so nobody keeps it.
    await raw.remove(stored.rawKey);
    count('ReportMails', { outcome: 'dropped' }, now);
  },
);
