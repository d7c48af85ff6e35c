import { S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { type Dependencies, handler } from '../../../functions/inbound-mail/queue.ts';
import {
  type QueuesAndObjects,
  startQueuesAndObjects,
} from '../../../lib/local/stores/queues-and-objects.ts';
import type { SendOptions } from '../../../shared/runtime/workers/queue.ts';
import { type RawMessages, rawMessages } from '../../../shared/store/raw-messages.ts';
import { use, useFolder } from '../../kit/use.ts';

process.env.LOG_LEVEL = 'silent';

interface Sent extends SendOptions {
  readonly to: string;
  readonly message: object;
}

let sent: Sent[];
beforeEach(() => {
  sent = [];
});

const readerOf = (to: string) => ({
  prefix: `${to}/`,
  reader: {
    async send(message: object, options: SendOptions = {}) {
      sent.push({ to, message, ...options });
    },
  },
});

/** Announces a stored mail, and returns the IDs of the records that failed. */
async function arrive(message: object, others: Omit<Dependencies, 'rows'> = {}): Promise<string[]> {
  const Records = [{ messageId: 'm', body: JSON.stringify(message) }];
  const rows = [readerOf('reports'), readerOf('tester')];
  const { batchItemFailures } = await handler.with({ rows, ...others })(
    { Records } as SQSEvent,
    {} as Context,
  );
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const notification = (objectKey: string, ...recipients: string[]) => ({
  receipt: { recipients, action: { type: 'S3', objectKey } },
  mail: { messageId: 'm1', timestamp: '2026-01-01T10:00:00Z' },
});

/** What the documentation of SendMessage permits in a MessageGroupId. */
const GROUP = /^[A-Za-z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/;

async function groupOf(...recipients: string[]): Promise<string> {
  await arrive(notification('reports/m1', ...recipients));
  return sent.at(-1)?.group ?? 'none';
}

describe('a mail that arrived', () => {
  test.each(['reports', 'tester'])('is passed on to the queue of what reads %s', async (kind) => {
    expect(await arrive(notification(`${kind}/m1`, 'a@example.org'))).toEqual([]);
    const message = {
      ...{ messageId: 'm1', receivedAt: new Date('2026-01-01T10:00:00Z'), recipients: ['a@example.org'] },
      ...{ rawKey: `${kind}/m1`, verdicts: null },
    };
    expect(sent).toMatchObject([{ to: kind, message }]);
    expect(sent[0]?.delaySeconds).toBeUndefined();
  });

  test('is in the group of its mailbox, in whichever case the sender writes it', async () => {
    const group = await groupOf('a@example.org');
    expect(await groupOf('A@Example.ORG')).toBe(group);
    expect(await groupOf('a@example.org', 'b@example.org')).toBe(group);
    expect(await groupOf('b@example.org')).not.toBe(group);
  });

  test.each([
    ['the longest local part', `${'x'.repeat(300)}@example.org`],
    ['no ASCII', '✉️@example.org'],
    ['spaces', '" "@example.org'],
  ])('has a group that SQS accepts for a mailbox with %s', async (_what, mailbox) => {
    expect(await groupOf(mailbox)).toMatch(GROUP);
  });

  test('stays in the queue if nothing reads mail of its prefix', async () => {
    expect(await arrive(notification('other/m1', 'a@example.org'))).toEqual(['m']);
    expect(sent).toEqual([]);
  });

  test('is not one if SES announces a new rule', async () => {
    expect(await arrive({ mail: { messageId: 'AMAZON_SES_SETUP_NOTIFICATION' } })).toEqual([]);
    expect(sent).toEqual([]);
  });

  describe('in a second region', () => {
    let storage: QueuesAndObjects;
    let folder: string;
    beforeEach(async () => {
      folder = useFolder('second');
      storage = await use(
        startQueuesAndObjects({ dataFolder: folder, buckets: ['first', 'second'], queues: [] }),
      );
    });

    const bucketNamed = (name: string) =>
      rawMessages(
        name,
        new S3Client({
          ...{ endpoint: storage.endpoint, region: 'us-east-1', forcePathStyle: true },
          credentials: { accessKeyId: 'a', secretAccessKey: 's' },
        }),
      );
    const key = 'reports/m 1';
    const textOf = async (bucket: RawMessages) => Buffer.from((await bucket.read(key, 100)) ?? '').toString();
    const announced = (bucketName: string) => {
      const { receipt, mail } = notification(key, 'a@example.org');
      return { receipt: { ...receipt, action: { ...receipt.action, bucketName } }, mail };
    };

    test('is moved to the bucket of the first one, however often it is announced', async () => {
      const [ours, theirs] = [bucketNamed('first'), bucketNamed('second')];
      await theirs.store(key, Buffer.from('a mail'));
      const second = { bucket: 'second', theirs, ours };
      expect(await arrive(announced('second'), { second })).toEqual([]);
      expect(await theirs.read(key, 100)).toBeUndefined();
      expect(await textOf(ours)).toBe('a mail');
      expect(await arrive(announced('second'), { second })).toEqual([]);
      expect(await textOf(ours)).toBe('a mail');
      expect(sent.map(({ message }) => message)).toMatchObject([{ rawKey: key }, { rawKey: key }]);
      expect(sent[0]?.message).not.toHaveProperty('bucket');
    });

    test('stays there until a reader can be told of it', async () => {
      const [ours, theirs] = [bucketNamed('first'), bucketNamed('second')];
      await theirs.store(key, Buffer.from('a mail'));
      const fails = { ours, theirs: { remove: () => Promise.reject(new Error('no answer')) } };
      expect(await arrive(announced('second'), { second: { bucket: 'second', ...fails } })).toEqual(['m']);
      const broken = { theirs, ours: { copyFrom: () => Promise.reject(new Error('no answer')) } };
      expect(await arrive(announced('second'), { second: { bucket: 'second', ...broken } })).toEqual(['m']);
      expect(await theirs.read(key, 100)).toBeDefined();
    });

    test('concerns no mail of the first one', async () => {
      const never = () => Promise.reject(new Error('not asked'));
      const second = { bucket: 'second', theirs: { remove: never }, ours: { copyFrom: never } };
      expect(await arrive(announced('first'), { second })).toEqual([]);
      expect(sent).toHaveLength(1);
    });
  });
});
