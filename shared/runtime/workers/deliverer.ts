/** The handler of the queues of deliveries, one for each kind of notification. */
import { type DeliverDependencies, deliver } from '../../notify/deliver.ts';
import { RETRY_SECONDS } from '../../notify/retry.ts';
import type { WriteDigest } from '../../notify/write-digest.ts';
import { alertStore } from '../../store/alerts/alerts.ts';
import { channelStore } from '../../store/alerts/channels.ts';
import { deliveryStore } from '../../store/alerts/deliveries.ts';
import { deliveryMessage } from '../../store/alerts/delivery.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { attentionChanges } from '../../store/attention-changes.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { organizationStore } from '../../store/organizations.ts';
import { config, ownDomains } from '../config/config.ts';
import { cipher } from '../dependencies/cipher.ts';
import { eventSink } from '../dependencies/event-sink.ts';
import { mailSender } from '../dependencies/mail-sender.ts';
import { clock, table } from '../dependencies/services.ts';
import { webPoster } from '../dependencies/web-poster.ts';
import { record } from '../logging/metric.ts';
import { postpone } from './queue.ts';
import type { QueueName, Trigger } from './trigger.ts';
import { RetryLater, worker } from './worker.ts';

/** The handler of a queue of deliveries. Only the one of digests needs what writes them. */
export function deliveryWorker(trigger: Trigger, queue: QueueName, writerOfDigests?: () => WriteDigest) {
  return worker(
    trigger,
    deliveryMessage,
    () => ({
      deps: deliverDependencies(writerOfDigests?.()),
      retrySeconds: RETRY_SECONDS,
      postpone: postpone(queue),
      record,
      clock,
    }),
    async ({ delivery: id }, { deps, retrySeconds, postpone, record, clock }, work): Promise<void> => {
      const outcome = await deliver({ id, sentAt: work.sentAt(), now: clock.now(), retrySeconds }, deps);
      if (outcome.status === 'not-due') return;
      if (outcome.status !== 'given-up-earlier') {
        const { channel, organization, status: result, reason = null, correlations = [] } = outcome;
        record('notification', { channel, result, organization, delivery: id, correlations, reason });
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
}

function deliverDependencies(writeDigest: WriteDigest | undefined): DeliverDependencies {
  const { ALERT_SENDER, HOST_URL, RETENTION_DAYS } = config();
  return {
    deliveries: deliveryStore(table()),
    settings: channelStore(table(), cipher),
    alerts: alertStore(table(), { retentionDays: RETENTION_DAYS }),
    domains: domainStore(table()),
    organizations: organizationStore(table()),
    attention: attentionChanges(table(), notificationSettingsStore(table())),
    sendMail: ALERT_SENDER === '' ? undefined : mailSender(ALERT_SENDER),
    poster: webPoster(),
    sink: eventSink(),
    hostUrl: HOST_URL,
    ownDomains: ownDomains(config()),
    writeDigest,
  };
}
