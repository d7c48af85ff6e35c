import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from '@jest/globals';
import { deliverTo } from '../../../../../lib/local/host/smtp/deliver.ts';
import { accessTo } from '../../../../../lib/local/stores/access.ts';
import {
  type QueuesAndObjects,
  startQueuesAndObjects,
} from '../../../../../lib/local/stores/queues-and-objects.ts';
import { anyone } from '../../../../kit/aws-client.ts';
import { use, useFolder } from '../../../../kit/use.ts';

const dataFolder = useFolder('deliver');
const mail = {
  ...{ messageId: 'm1', mailFrom: 'a@reporter.test', recipients: ['b@reports.test'] },
  ...{ helo: 'mx.reporter.test', protocol: 'SMTP', ip: '192.0.2.1' },
  ...{ receivedAt: new Date(), message: Buffer.from('Subject: a report\r\n\r\n') },
};

const queue = { name: 'arrivals', maxReceiveCount: 5, visibilityTimeoutSeconds: 30 };
const storage = await use(startQueuesAndObjects({ dataFolder, buckets: ['mail'], queues: [queue] }));

/** Whether the message is stored after its notification was sent to a queue and something went wrong. */
async function isKept(queue: string, send: QueuesAndObjects['send']): Promise<boolean> {
  const { endpoint } = storage;
  const s3 = new S3Client({ ...anyone(endpoint), ...accessTo([storage]) });
  const sqs = new SQSClient({ ...anyone(endpoint), ...accessTo([{ endpoint, send }]) });
  const destination = { s3, sqs, bucket: 'mail', prefix: `${queue}/`, queueUrl: storage.queueUrl(queue) };
  await expect(deliverTo(destination, mail)).rejects.toThrow();
  return s3.send(new GetObjectCommand({ Bucket: 'mail', Key: `${queue}/m1` })).then(
    () => true,
    () => false,
  );
}

test('a message whose notification may have been sent is kept', async () => {
  const lost: QueuesAndObjects['send'] = async (...request) => {
    await storage.send(...request);
    throw new Error('the response was lost');
  };
  expect(await isKept('arrivals', lost)).toBe(true);
  expect(storage.queueCounts('arrivals').ready).toBe(1);
});

test('a message whose notification was refused is removed', async () => {
  expect(await isKept('no-such-queue', storage.send)).toBe(false);
});
