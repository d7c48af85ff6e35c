import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler as deliver } from '../../../functions/notifications/deliver.ts';
import { triggers } from '../../../functions/triggers.ts';
import { deadLettersOf } from '../../../lib/local/stores/queues/queue-store.ts';
import { startQueuesAndObjects } from '../../../lib/local/stores/queues-and-objects.ts';
import { createDialer } from '../../../shared/network/dialer.ts';
import { createWeb } from '../../../shared/network/web.ts';
import { ATTEMPTS } from '../../../shared/notify/retry.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { channelStore } from '../../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { changesOn } from '../../kit/attention.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { testCipher } from '../../kit/cipher.ts';
import { type Page, startHttpsHost } from '../../kit/https-host.ts';
import { atEnd, use, useFolder } from '../../kit/use.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

const secret = 'whsec_of_the_test';
const authority = createAuthority();

let status = 200;
const now = Date.now();
const verified: boolean[] = [];

/** A receiver like the example in docs/api.md. */
const receiver: Page = async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const timestamp = String(request.headers['x-domain-monitor-timestamp']);
  const expected = `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
  const given = String(request.headers['x-domain-monitor-signature']);
  const isFresh = Math.abs(now / 1000 - Number(timestamp)) < 300;
  verified.push(
    isFresh && given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected)),
  );
  response.writeHead(status).end();
};

process.env.LOG_LEVEL = 'silent';
const folder = useFolder('dead-letters');
const { maxReceiveCount } = triggers.deliverNotification.source;
const queues = await use(
  startQueuesAndObjects({
    dataFolder: folder,
    buckets: [],
    queues: [{ name: 'notifications', maxReceiveCount, visibilityTimeoutSeconds: 180 }],
  }),
);
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const sqs = new SQSClient({ region: 'us-east-1', credentials, endpoint: queues.endpoint });
const table = await useTable();
const host = await use(startHttpsHost(authority.issue(['hook.example']), { '/in': receiver }));
atEnd(() => sqs.destroy());

const queueUrl = () => queues.queueUrl('notifications');
const receive = async (QueueUrl: string) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'] }))).Messages ??
  [];

/** Handles the messages in the queue, as the poller does, until none is visible. Returns the number of messages. */
async function drain(pauseSeconds: number): Promise<number> {
  const dialMap = new Map([['hook.example:443', { address: host.address, port: host.port }]]);
  const dialer = createDialer({ dns: zone({}), privateAddresses: 'deny', dialMap });
  const handler = deliver.with({
    deps: {
      deliveries: deliveryStore(table),
      settings: channelStore(table, testCipher),
      alerts: alertStore(table, { retentionDays: 0 }),
      domains: domainStore(table),
      organizations: organizationStore(table),
      attention: changesOn(table),
      sendMail: undefined,
      poster: createWeb({ dialer, extraCa: authority.cert }),
      hostUrl: 'https://monitor.acme.org',
      ownDomains: [],
    },
    retrySeconds: Array(ATTEMPTS - 1).fill(pauseSeconds),
    postpone: async (receipt, seconds) => {
      await sqs.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl(),
          ReceiptHandle: receipt,
          VisibilityTimeout: seconds,
        }),
      );
    },
    record: () => undefined,
    clock: { now: () => new Date(now) },
  });
  for (let handled = 0; ; handled += 1) {
    const [message] = await receive(queueUrl());
    if (message === undefined) return handled;
    const record = {
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes,
    };
    const context = { getRemainingTimeInMillis: () => 60_000 } as Context;
    const { batchItemFailures } = await handler({ Records: [record] } as unknown as SQSEvent, context);
    if (batchItemFailures.length === 0) {
      await sqs.send(
        new DeleteMessageCommand({ QueueUrl: queueUrl(), ReceiptHandle: message.ReceiptHandle }),
      );
    }
  }
}

async function sendTest(id: string): Promise<void> {
  const createdAt = new Date().toISOString();
  await channelStore(table, testCipher).setWebhook('org', {
    url: 'https://hook.example/in',
    secret,
    threshold: 'info',
  });
  await deliveryStore(table).createTest({ id, organization: 'org', channel: 'webhook', createdAt });
  await sqs.send(
    new SendMessageCommand({ QueueUrl: queueUrl(), MessageBody: JSON.stringify({ delivery: id }) }),
  );
}

describe('deliveries to a real webhook', () => {
  test('carry a valid signature', async () => {
    await sendTest('accepted');
    expect(await drain(0)).toBe(1);
    expect(verified.splice(0)).toEqual([true]);
    expect(host.headers()).toMatchObject({
      'content-type': 'application/json',
      'x-domain-monitor-delivery': 'accepted',
    });
  });

  test('are attempted seven times if they are never accepted, and then move to the dead-letter queue', async () => {
    status = 503;
    await sendTest('refused');
    expect(await drain(0)).toBe(7);
    expect(verified.splice(0)).toEqual(Array(7).fill(true));
    const [dead, ...others] = await receive(queues.queueUrl(deadLettersOf('notifications')));
    expect([JSON.parse(dead?.Body ?? ''), others]).toEqual([{ delivery: 'refused' }, []]);

    status = 204;
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(), MessageBody: dead?.Body }));
    await drain(0);
    expect(verified.splice(0)).toEqual([true]);
  });

  test('wait until the retry delay is over', async () => {
    status = 500;
    await sendTest('waiting');
    expect(await drain(3600)).toBe(1);
    expect(await drain(3600)).toBe(0);
    expect(verified.splice(0)).toEqual([true]);
  });
});
