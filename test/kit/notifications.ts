/**
 * The notification part of a service with its own table: its two handlers, a queue in memory, and recorded deliveries.
 */

import type { Context, SQSEvent } from 'aws-lambda';
import { handler as deliverHandler } from '../../functions/notifications/deliver.ts';
import { handler as gatherHandler } from '../../functions/notifications/gather.ts';
import { handler as gatherDigestsHandler } from '../../functions/notifications/gather-digests.ts';
import type { AlertSeverity, ReportAlertDraft } from '../../shared/alerts/alert.ts';
import { organizationSums } from '../../shared/enforcement/organization-shapes.ts';
import type { WebAnswer, WebPost } from '../../shared/network/ports.ts';
import type { Mail } from '../../shared/notify/mail.ts';
import { RETRY_SECONDS } from '../../shared/notify/retry.ts';
import { digestWriter } from '../../shared/notify/write-digest.ts';
import type { ScheduleEvent } from '../../shared/runtime/workers/trigger.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { digestPlanStore } from '../../shared/store/alerts/digest-plans.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { pendingNotificationStore } from '../../shared/store/alerts/pending.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { NOTIFICATION_SHARDS, notificationShardOf } from '../../shared/store/keys.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { domainSumsStore, organizationSumsStore } from '../../shared/store/reports/domain-sums.ts';
import type { Table } from '../../shared/store/table.ts';
import { reportAlertDraft } from './alerts.ts';
import { raiseAlert } from './alongside.ts';
import { changesOn } from './attention.ts';
import { testCipher } from './cipher.ts';
import { registerDomain } from './reports.ts';

interface QueuedMessage {
  readonly body: { readonly delivery: string };
  /** Milliseconds since 1970. */
  sentAt: number;
  /** Number of receives so far. */
  receives: number;
  /** Milliseconds since 1970. */
  visibleAt: number;
}

export type NotificationService = Awaited<ReturnType<typeof notificationService>>;

const lambda = { getRemainingTimeInMillis: () => 60_000 } as Context;

export async function notificationService(table: Table, start: Date) {
  let now = start.getTime();
  const clock = { now: () => new Date(now) };
  const waiting: QueuedMessage[] = [];
  const mails: Mail[] = [];
  const posts: WebPost[] = [];
  const records: Record<string, unknown>[] = [];
  const behaviour = {
    /** The status that the webhook returns, or the reason why it does not respond. */
    webhook: 200 as number | 'timeout' | 'no-address',
    mail: async (_mail: Mail): Promise<void> => undefined,
    isMailOn: true,
    ownDomains: ['reports.acme.org', 'tester.acme.org'],
  };
  const { id: organization } = await organizationStore(table).create('Org', start);
  const settings = channelStore(table, testCipher);
  const alerts = alertStore(table, { retentionDays: 0 });
  let raised = 0;

  const gatherDependencies = (on: Table) => ({
    pending: pendingNotificationStore(on),
    deliveries: deliveryStore(on),
    settings: notificationSettingsStore(on),
    plans: digestPlanStore(on),
    queue: {
      send: async () => undefined,
      sendBatch: async <Message extends object>(messages: readonly Message[]) => {
        for (const body of messages as unknown as QueuedMessage['body'][]) {
          waiting.push({ body, sentAt: now, receives: 0, visibleAt: now });
        }
        return messages;
      },
      size: async () => waiting.length,
    },
    clock,
  });

  /** The parts of both schedules that have an organization in the table; the others would find nothing. */
  async function gather(on: Table = table): Promise<void> {
    const organizations = await organizationStore(table).list();
    const parts = [...new Set(organizations.map(({ id }) => notificationShardOf(id)))];
    const runs = [gatherHandler, gatherDigestsHandler].flatMap((handler) =>
      parts.map((part) => handler.with(gatherDependencies(on))({ part, parts: NOTIFICATION_SHARDS }, lambda)),
    );
    // One that fails does not stop the others.
    await Promise.allSettled(runs);
    await Promise.all(runs);
  }

  /** Hands a message to the handler as Lambda does; returns whether it is done. */
  async function receive(message: QueuedMessage, on: Table = table): Promise<boolean> {
    message.receives += 1;
    const handler = deliverHandler.with({
      deps: {
        deliveries: deliveryStore(on),
        settings: channelStore(on, testCipher),
        alerts: alertStore(on, { retentionDays: 0 }),
        domains: domainStore(on),
        organizations: organizationStore(on),
        attention: changesOn(on),
        sendMail: behaviour.isMailOn
          ? async (mail) => {
              await behaviour.mail(mail);
              mails.push(mail);
            }
          : undefined,
        poster: {
          async post(request): Promise<WebAnswer> {
            posts.push(request);
            return answerOf(behaviour.webhook, request);
          },
        },
        hostUrl: 'https://monitor.acme.org',
        ownDomains: behaviour.ownDomains,
        writeDigest: digestWriter({
          domains: domainStore(on),
          alerts: alertStore(on, { retentionDays: 0 }),
          attention: attentionStore(on),
          sums: {
            domainSums: domainSumsStore(on, { retentionDays: 0 }),
            organizationSums: organizationSumsStore(on, organizationSums),
          },
        }),
      },
      retrySeconds: RETRY_SECONDS,
      postpone: async (_receipt, seconds) => {
        message.visibleAt = now + seconds * 1000;
      },
      record: (name, told) => void records.push({ name, ...told }),
      clock,
    });
    const record = {
      messageId: 'm',
      receiptHandle: 'r',
      body: JSON.stringify(message.body),
      attributes: {
        ApproximateReceiveCount: String(message.receives),
        SentTimestamp: String(message.sentAt),
      },
    };
    const { batchItemFailures } = await handler({ Records: [record] } as unknown as SQSEvent, lambda);
    return batchItemFailures.length === 0;
  }

  return {
    ...{ organization, settings, waiting, mails, posts, records, behaviour, clock },
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    register: (name: string) => registerDomain(table, organization, name, clock.now()),
    async raise(domain: Domain, severity: AlertSeverity, on: Table = table): Promise<string> {
      raised += 1;
      const title = `alert ${raised}`;
      const alerts = alertStore(on, { retentionDays: 0 });
      // A cause of its own, so that mails and digests have a line for each alert.
      const sender = {
        about: 'sender',
        senderId: title,
        sender: title,
        status: null,
        day: '2026-03-01',
      } as const;
      const failure = { messages: 100, failed: 100, failureRate: 100, previousFailureRate: null };
      const draft: ReportAlertDraft = {
        ...reportAlertDraft(title, severity),
        ...{ type: 'report_failure', metadata: { ...sender, ...failure } },
      };
      await raiseAlert({ table: on, alerts }, domain, draft, clock.now());
      return title;
    },
    gather,
    /** One invocation of a schedule; by default, one that does all parts. */
    gatherAlerts: (on: Table, event: Partial<ScheduleEvent> = {}) =>
      gatherHandler.with(gatherDependencies(on))(event, lambda),
    gatherDigests: (on: Table, event: Partial<ScheduleEvent> = {}) =>
      gatherDigestsHandler.with(gatherDependencies(on))(event, lambda),
    receive,
    /** Handles every visible message once; failed ones stay in the queue. */
    async work(): Promise<void> {
      for (const message of waiting.filter(({ visibleAt }) => visibleAt <= now)) {
        if (await receive(message)) waiting.splice(waiting.indexOf(message), 1);
      }
    },
    /** One run of the schedule, and the work that it causes. */
    async turn(): Promise<void> {
      await gather();
      await this.work();
    },
    /** The alert titles that each channel delivered, in order. */
    told: {
      mails: () => mails.map(({ text }) => text.match(/alert \d+/g) ?? []),
      posts: () =>
        posts.map(({ body }) => JSON.parse(body).alerts.map(({ title }: { title: string }) => title)),
    },
    alerts,
  };
}

function answerOf(answer: number | 'timeout' | 'no-address', { url }: WebPost): WebAnswer {
  const evidence = { url, milliseconds: 1 };
  if (answer === 'timeout') return { status: 'unavailable', reason: 'timeout', detail: 'a fake', evidence };
  if (answer === 'no-address') return { status: 'absent', reason: 'no-address', evidence };
  const body = new Uint8Array();
  return { status: 'found', httpStatus: answer, headers: {}, body, certificate, evidence };
}

const certificate = {
  ...{ subject: 'CN=hook', issuer: 'CN=Test', names: ['hook'], chain: [] },
  ...{ validFrom: new Date('2020-01-01'), validTo: new Date('2099-01-01'), trusted: true, matchesName: true },
};
