import { type DeliverDependencies, deliver } from '../../shared/notify/deliver.ts';
import { RETRY_SECONDS } from '../../shared/notify/retry.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { mailSender } from '../../shared/runtime/dependencies/mail-sender.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { webPoster } from '../../shared/runtime/dependencies/web-poster.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { postpone } from '../../shared/runtime/workers/queue.ts';
import { RetryLater, worker } from '../../shared/runtime/workers/worker.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { triggers } from '../triggers.ts';

export const handler = worker(
  triggers.deliverNotification,
  () => ({
    deps: deliverDependencies(),
    retrySeconds: RETRY_SECONDS,
    postpone: postpone('notifications'),
    record,
    clock,
  }),
  async (message: { delivery: string }, { deps, retrySeconds, postpone, record, clock }, work) => {
    const id = message.delivery;
    const outcome = await deliver({ id, sentAt: work.sentAt(), now: clock.now(), retrySeconds }, deps);
    if (outcome.status === 'not-due') return;
    if (outcome.status !== 'given-up-earlier') {
      const { channel, organization, status: result, reason = null } = outcome;
      record('notification', { channel, result, organization, delivery: id, reason });
    }
    if (outcome.status === 'failed') {
      await postpone(work.receipt, outcome.retrySeconds);
      throw new RetryLater(outcome.reason);
    }
    if (outcome.status === 'given-up' || outcome.status === 'given-up-earlier') {
      // Return the message without delay until its receive count moves it to the dead-letter queue.
      await postpone(work.receipt, 0);
      throw new RetryLater('the delivery was given up');
    }
  },
);

function deliverDependencies(): DeliverDependencies {
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
