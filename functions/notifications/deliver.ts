import { type DeliverParts, deliver } from '../../shared/notify/deliver.ts';
import { RETRY_SECONDS } from '../../shared/notify/retry.ts';
import { config } from '../../shared/runtime/config.ts';
import { mailSender } from '../../shared/runtime/mail-sender.ts';
import { record } from '../../shared/runtime/metric.ts';
import { postpone } from '../../shared/runtime/queue.ts';
import { clock, table } from '../../shared/runtime/services.ts';
import { webPoster } from '../../shared/runtime/web-poster.ts';
import { ComesAgain, worker } from '../../shared/runtime/worker.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { triggers } from '../triggers.ts';

export const handler = worker(
  triggers.deliverNotification,
  () => ({
    parts: deliverParts(),
    retrySeconds: RETRY_SECONDS,
    postpone: postpone('notifications'),
    record,
    clock,
  }),
  async (message: { delivery: string }, { parts, retrySeconds, postpone, record, clock }, work) => {
    const now = clock.now();
    const outcome = await deliver(message.delivery, parts, now);
    if (outcome.status === 'over') return;
    if (outcome.status === 'busy') {
      const seconds = Math.ceil((outcome.until.getTime() - now.getTime()) / 1000);
      await postpone(work.receipt, Math.max(1, seconds));
      throw new ComesAgain('another worker has it');
    }
    const seconds = retrySeconds[work.attempt() - 1];
    const isGivenUp = outcome.status === 'failed' && seconds === undefined;
    const { channel, organization, status, reason = null } = outcome;
    const result = isGivenUp ? 'given-up' : status;
    record('notification', { channel, result, organization, delivery: message.delivery, reason });
    if (status !== 'failed') return;
    // At the end without delay: the next receive is the one that moves it to the dead letters.
    await postpone(work.receipt, seconds ?? 0);
    throw new ComesAgain(reason ?? status);
  },
);

function deliverParts(): DeliverParts {
  const { ALERT_SENDER, HOST_URL, REPORTS_DOMAIN, TESTER_DOMAIN, RETENTION_DAYS } = config();
  return {
    deliveries: deliveryStore(table()),
    settings: notificationSettingsStore(table()),
    alerts: alertStore(table(), { retentionDays: RETENTION_DAYS }),
    sendMail: ALERT_SENDER === '' ? undefined : mailSender(ALERT_SENDER),
    poster: webPoster(),
    hostUrl: HOST_URL,
    ownDomains: [REPORTS_DOMAIN, TESTER_DOMAIN],
  };
}
