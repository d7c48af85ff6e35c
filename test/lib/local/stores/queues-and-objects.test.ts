import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from '@jest/globals';
import { deadLettersOf } from '../../../../lib/local/stores/queues/queue-store.ts';
import { startQueuesAndObjects } from '../../../../lib/local/stores/queues-and-objects.ts';
import { anyone } from '../../../kit/aws-client.ts';
import { until } from '../../../kit/until.ts';
import { atEnd, use, useFolder } from '../../../kit/use.ts';

const QUEUES = 'plain slow redriven delayed polled left batch counted moved other'.split(' ');
const HIDDEN_SECONDS = 4;

const folder = useFolder('queues');
const running = await use(
  startQueuesAndObjects({
    dataFolder: join(folder, 'data'),
    buckets: ['mail'],
    queues: QUEUES.map((name) => ({ name, maxReceiveCount: 5, visibilityTimeoutSeconds: HIDDEN_SECONDS })),
  }),
);
const sqs = new SQSClient(anyone(running.endpoint));
const s3 = new S3Client(anyone(running.endpoint));
atEnd(() => {
  sqs.destroy();
  s3.destroy();
});

const url = (queue: string): string => running.queueUrl(queue);
const send = (queue: string, MessageBody: string, DelaySeconds?: number) =>
  sqs.send(new SendMessageCommand({ QueueUrl: url(queue), MessageBody, DelaySeconds }));
const receive = async (queue: string, more: Partial<ReceiveMessageCommandInput> = {}) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl: url(queue), ...more }))).Messages ?? [];

const show = (queue: string, ReceiptHandle?: string, VisibilityTimeout = 0) =>
  sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url(queue), ReceiptHandle, VisibilityTimeout }));
const remove = (queue: string, ReceiptHandle?: string) =>
  sqs.send(new DeleteMessageCommand({ QueueUrl: url(queue), ReceiptHandle }));
const move = (SourceArn: string, DestinationArn?: string) =>
  sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));

const arnOf = async (queue: string): Promise<string> => {
  const attributes = { QueueUrl: url(queue), AttributeNames: ['QueueArn' as const] };
  return (await sqs.send(new GetQueueAttributesCommand(attributes))).Attributes?.QueueArn ?? '';
};

describe('queues', () => {
  test('a message can be sent, received with its attributes, and deleted', async () => {
    const { MessageId } = await send('plain', 'ünï — 💌 <&>');
    const [message, ...others] = await receive('plain', { MessageSystemAttributeNames: ['All'] });
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      MessageId,
      Body: 'ünï — 💌 <&>',
      Attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d{13}$/) },
    });
    await remove('plain', message?.ReceiptHandle);
    await sleep(HIDDEN_SECONDS * 1000 + 50);
    expect(await receive('plain')).toEqual([]);
  });

  test('a received message is hidden until its visibility timeout expires', async () => {
    await send('slow', 'once more');
    const [first] = await receive('slow');
    expect(await receive('slow')).toEqual([]);
    const [again] = await receive('slow', {
      WaitTimeSeconds: 15,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    expect(again).toMatchObject({
      MessageId: first?.MessageId,
      Attributes: { ApproximateReceiveCount: '2' },
    });
    expect(again?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
    await show('slow', again?.ReceiptHandle);
    const [at] = await receive('slow', { VisibilityTimeout: 30 });
    expect(at?.MessageId).toBe(first?.MessageId);
    // The receipt handle of an earlier receive no longer works.
    await remove('slow', first?.ReceiptHandle);
    await show('slow', at?.ReceiptHandle);
    expect(await receive('slow')).toHaveLength(1);
  });

  test('a message moves to the dead-letter queue after exactly five receives', async () => {
    const { MessageId } = await send('redriven', 'poison');
    for (let count = 1; count <= 5; count += 1) {
      expect(await receive('redriven', { VisibilityTimeout: 0 })).toHaveLength(1);
      await sleep(5);
    }
    expect(await receive(deadLettersOf('redriven'))).toEqual([]);
    expect(await receive('redriven')).toEqual([]);
    expect(await receive(deadLettersOf('redriven'))).toMatchObject([{ MessageId, Body: 'poison' }]);
  });

  test.each<[string, string | undefined]>([
    ['moved', undefined],
    ['other', 'other'],
  ])('dead letters move to the queue %s as new messages', async (destination, named) => {
    const SourceArn = await arnOf(deadLettersOf('moved'));
    // A message that someone has received is not moved.
    await send(deadLettersOf('moved'), 'looked at');
    const [looked] = await receive(deadLettersOf('moved'), { VisibilityTimeout: 600 });
    const sent = [await send(deadLettersOf('moved'), 'first'), await send(deadLettersOf('moved'), 'second')];
    const { TaskHandle } = await move(SourceArn, named && (await arnOf(named)));
    expect(TaskHandle).toEqual(expect.any(String));
    const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
    expect(Results).toMatchObject([
      {
        Status: 'COMPLETED',
        SourceArn,
        ApproximateNumberOfMessagesMoved: 2,
        StartedTimestamp: expect.any(Number),
      },
    ]);
    const moved = await receive(destination, {
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    expect(moved.map(({ Body, Attributes }) => [Body, Attributes?.ApproximateReceiveCount])).toEqual([
      ['first', '1'],
      ['second', '1'],
    ]);
    const former = sent.map(({ MessageId }) => MessageId);
    for (const { MessageId } of moved) expect(former).not.toContain(MessageId);
    await show(deadLettersOf('moved'), looked?.ReceiptHandle, 600);
    await remove(deadLettersOf('moved'), looked?.ReceiptHandle);
  });

  test('a long poll ends when a message is sent', async () => {
    const waiting = receive('polled', { WaitTimeSeconds: 10 });
    await sleep(100);
    const sent = Date.now();
    await send('polled', 'wake');
    expect(await waiting).toMatchObject([{ Body: 'wake' }]);
    expect(Date.now() - sent).toBeLessThan(5_000);
  });

  test('a long poll receives no message after its client disconnects', async () => {
    const leaving = new AbortController();
    const poll = new ReceiveMessageCommand({ QueueUrl: url('left'), WaitTimeSeconds: 10 });
    const waiting = sqs.send(poll, { abortSignal: leaving.signal }).catch(() => 'left');
    await sleep(100);
    leaving.abort();
    expect(await waiting).toBe('left');
    await sleep(50);
    await send('left', 'for the next');
    expect(await receive('left')).toMatchObject([{ Body: 'for the next' }]);
  });

  test('stopping ends long polls with an empty response', async () => {
    const stopped = await startQueuesAndObjects({
      dataFolder: join(folder, 'stopped'),
      buckets: [],
      queues: [{ name: 'idle', maxReceiveCount: 5, visibilityTimeoutSeconds: 1 }],
    });
    const client = new SQSClient(anyone(stopped.endpoint));
    const poll = client.send(
      new ReceiveMessageCommand({ QueueUrl: stopped.queueUrl('idle'), WaitTimeSeconds: 20 }),
    );
    await sleep(100);
    const began = Date.now();
    await stopped.stop();
    expect((await poll).Messages).toBeUndefined();
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  test('a delayed message is received after its delay', async () => {
    await send('delayed', 'later', 4);
    expect(await receive('delayed')).toEqual([]);
    expect(await receive('delayed', { WaitTimeSeconds: 15 })).toMatchObject([{ Body: 'later' }]);
  });

  test('batches of ten are sent, received and deleted', async () => {
    const QueueUrl = url('batch');
    const Entries = Array.from({ length: 10 }, (_, n) => ({ Id: `${n}`, MessageBody: `m${n}` }));
    expect((await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).Successful).toHaveLength(10);
    const messages = await receive('batch', { MaxNumberOfMessages: 10 });
    expect(messages.map(({ Body }) => Body)).toEqual(Entries.map(({ MessageBody }) => MessageBody));
    const deletes = messages.map(({ ReceiptHandle }, n) => ({ Id: `${n}`, ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: deletes }));
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessagesNotVisible'] }),
    );
    expect(Attributes).toEqual({ ApproximateNumberOfMessagesNotVisible: '0' });
  });

  test('messages are put off in a batch, and those that nobody has received are refused', async () => {
    const QueueUrl = url('batch');
    await send('batch', 'shown');
    const [message] = await receive('batch', { VisibilityTimeout: 600 });
    const { Successful, Failed } = await sqs.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: [
          { Id: 'a', ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 },
          { Id: 'b', ReceiptHandle: 'x', VisibilityTimeout: 0 },
        ],
      }),
    );
    expect([Successful?.map(({ Id }) => Id), Failed]).toEqual([
      ['a'],
      [{ Id: 'b', SenderFault: true, Code: 'MessageNotInflight' }],
    ]);
    expect(await receive('batch')).toMatchObject([{ Body: 'shown' }]);
  });

  test('a queue tells its redrive policy and its numbers', async () => {
    const QueueUrl = url('counted');
    await send('counted', 'a');
    await send('counted', 'b', 60);
    await send('counted', 'c');
    await receive('counted', { VisibilityTimeout: 60 });
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '1',
      RedrivePolicy: expect.stringContaining('"maxReceiveCount":5'),
    });
  });

  const deduplicated = { QueueUrl: url('plain'), MessageBody: 'x', MessageDeduplicationId: 'x' };
  const invalid = 'InvalidParameterValue';
  const nowhere = 'arn:aws:sqs:us-east-1:000000000000:nowhere';

  test.each<[string, () => Promise<unknown>, string]>([
    ['an unknown queue', () => send('nowhere', 'x'), 'QueueDoesNotExist'],
    ['an empty message', () => send('plain', ''), invalid],
    ['a message of more than 1 MB', () => send('plain', 'x'.repeat(1024 * 1024 + 1)), invalid],
    ['eleven messages at once', () => receive('plain', { MaxNumberOfMessages: 11 }), invalid],
    ['an unsupported parameter', () => sqs.send(new SendMessageCommand(deduplicated)), invalid],
    ['moving messages of a queue without dead letters', async () => move(await arnOf('plain')), invalid],
    ['moving the messages of an unknown queue', () => move(nowhere), 'ResourceNotFoundException'],
    ['a receipt handle without a message in flight', () => show('plain', 'x', 1), 'MessageNotInflight'],
  ])('%s is rejected', async (_, request, name) => {
    await expect(request()).rejects.toMatchObject({ name: expect.stringContaining(name) });
  });
});

describe('objects', () => {
  const Bucket = 'mail';
  const put = (Key: string, Body: PutObjectCommandInput['Body'], more: Partial<PutObjectCommandInput> = {}) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
  const get = (Key: string, more: Partial<GetObjectCommandInput> = {}) =>
    s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  const text = async (Key: string) => (await get(Key)).Body?.transformToString();

  test('an object keeps its content, type and metadata', async () => {
    const Key = 'inbound/a';
    const given = { ContentType: 'message/rfc822', Metadata: { sender: 'a@b.test' } };
    const { ETag } = await put(Key, 'From: a\r\n\r\nb', given);
    const { Body, ...facts } = await get(Key);
    expect(await Body?.transformToString()).toBe('From: a\r\n\r\nb');
    expect(facts).toMatchObject({ ...given, ETag, ContentLength: 12 });
    await put(Key, 'replaced');
    expect(await text(Key)).toBe('replaced');
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await expect(text(Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  test('an object can hold 20 MB of any bytes', async () => {
    const content = Buffer.alloc(20 * 1024 * 1024, Buffer.from(Array.from({ length: 256 }, (_, n) => n)));
    await put('large', content);
    const { Body } = await get('large');
    expect(content.equals((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(true);
  });

  test.each(['../outside', 'a/../../b', 'ü &<>"?#%+ =', '/leading', 'a//b'])(
    'the key %j has no special meaning',
    async (Key) => {
      await put(Key, Key);
      expect(await text(Key)).toBe(Key);
    },
  );

  const unimplemented = 'NotImplemented';
  const stream = Readable.from(['stream']);

  test.each<[string, () => Promise<unknown>, string]>([
    ['an unknown bucket', () => put('x', 'x', { Bucket: 'nowhere' }), 'NoSuchBucket'],
    ['content without its checksum', () => put('x', 'x', { ChecksumCRC32: 'AAAAAA==' }), 'BadDigest'],
    ['a range of an object', () => get('once', { Range: 'bytes=0-1' }), unimplemented],
    ['a conditional put', () => put('x', 'x', { IfNoneMatch: '*' }), unimplemented],
    ['a stream', () => put('x', stream, { ContentLength: 6 }), unimplemented],
    ['a list of keys', () => s3.send(new ListObjectsV2Command({ Bucket })), unimplemented],
    ['a key of more than 1024 bytes', () => get('x'.repeat(1025)), 'KeyTooLongError'],
  ])('%s is rejected', async (_, request, name) => {
    await expect(request()).rejects.toMatchObject({ name });
  });
});

test('a killed process loses no message and no object that it acknowledged', async () => {
  const serve = async () => {
    const program = new URL('./serve-queues-and-objects.ts', import.meta.url).pathname;
    const child = spawn(execPath, [program, join(folder, 'killed')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atEnd(() => child.kill('SIGKILL'));
    const [line] = await once(child.stdout, 'data');
    const endpoint = String(line).trim();
    return {
      child,
      objects: new S3Client(anyone(endpoint)),
      queues: new SQSClient(anyone(endpoint)),
      QueueUrl: `${endpoint}/000000000000/parse`,
    };
  };
  const sent: string[] = [];
  let served = await serve();
  const write = async (worker: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const name = `${worker}-${n}`;
      try {
        await served.objects.send(
          new PutObjectCommand({ Bucket: 'mail', Key: name, Body: name.repeat(1000) }),
        );
        await served.queues.send(new SendMessageCommand({ QueueUrl: served.QueueUrl, MessageBody: name }));
      } catch {
        return;
      }
      sent.push(name);
    }
  };
  const writers = [0, 1, 2, 3].map(write);
  await until(() => sent.length > 4);
  served.child.kill('SIGKILL');
  await Promise.all(writers);

  served = await serve();
  const found = new Set<string>();
  for (;;) {
    const { Messages = [] } = await served.queues.send(
      new ReceiveMessageCommand({
        QueueUrl: served.QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 60,
      }),
    );
    if (Messages.length === 0) break;
    for (const { Body = '' } of Messages) found.add(Body);
  }
  expect(sent.filter((name) => !found.has(name))).toEqual([]);
  for (const name of found) {
    const { Body } = await served.objects.send(new GetObjectCommand({ Bucket: 'mail', Key: name }));
    expect(await Body?.transformToString()).toBe(name.repeat(1000));
  }
});
