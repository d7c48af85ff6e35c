/**
 * The operations of the SQS JSON API that this service uses (AWS, "Amazon SQS API Reference"). Standard queues only.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { jsonIn } from '../json-body.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../loopback-server.ts';
import { deadLettersOf, md5, type QueueDefinition, type QueueStore, type Received } from './queue-store.ts';
import { type Requests, requests } from './requests.ts';

/** The prefix of the `x-amz-target` header in every SQS request. */
export const SQS_TARGET = 'AmazonSQS.';

/** AWS, "Amazon SQS message quotas": bytes of a message, and of all messages in a batch. */
const MAX_OCTETS = 1024 * 1024;
const ARN = 'arn:aws:sqs:us-east-1:000000000000:';
const NOT_IN_FLIGHT = 'MessageNotInflight';

class Refusal extends Error {
  readonly type: string;
  /** The error code of the older query API, which clients still use. */
  readonly queryCode: string;

  constructor(type: string, message: string, queryCode = type) {
    super(message);
    this.type = type;
    this.queryCode = queryCode;
  }
}

type Operations = {
  [Name in keyof Requests]: (store: QueueStore, request: Requests[Name], http: LoopbackRequest) => unknown;
};

const operations: Operations = {
  GetQueueAttributes(store, request) {
    const { name, visibilityTimeoutSeconds, maxReceiveCount } = queueAt(store, request.QueueUrl);
    const { ready, inFlight, delayed } = store.counts(name);
    const all = {
      QueueArn: `${ARN}${name}`,
      VisibilityTimeout: String(visibilityTimeoutSeconds),
      ApproximateNumberOfMessages: String(ready),
      ApproximateNumberOfMessagesNotVisible: String(inFlight),
      ApproximateNumberOfMessagesDelayed: String(delayed),
      ...(Number.isFinite(maxReceiveCount) && {
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: `${ARN}${deadLettersOf(name)}`,
          maxReceiveCount,
        }),
      }),
    };
    return { Attributes: pick(all, request.AttributeNames) };
  },

  SendMessage: (store, { QueueUrl, MessageBody, DelaySeconds, MessageGroupId }) =>
    send(store, queueAt(store, QueueUrl), MessageBody, DelaySeconds, MessageGroupId),

  SendMessageBatch(store, { QueueUrl, Entries }) {
    const queue = queueAt(store, QueueUrl);
    rejectDuplicateIds(Entries);
    rejectTooLarge(Entries.map(({ MessageBody }) => MessageBody));
    return {
      Successful: Entries.map(({ Id, MessageBody, DelaySeconds }) => ({
        Id,
        ...send(store, queue, MessageBody, DelaySeconds),
      })),
    };
  },

  async ReceiveMessage(store, request, { signal }) {
    const queue = queueAt(store, request.QueueUrl);
    const { MaxNumberOfMessages = 1, WaitTimeSeconds = 0 } = request;
    const hidden = request.VisibilityTimeout ?? queue.visibilityTimeoutSeconds;
    const until = Date.now() + WaitTimeSeconds * 1000;
    // If the client has disconnected, receive nothing: the message would be hidden without being handled.
    while (!signal.aborted) {
      const messages = store.receive(queue, MaxNumberOfMessages, hidden);
      if (messages.length > 0) return { Messages: messages.map((one) => received(one, request)) };
      if (Date.now() >= until) break;
      await store.arrival(queue.name, until, signal);
    }
    return {};
  },

  DeleteMessage(store, { QueueUrl, ReceiptHandle }) {
    store.delete(queueAt(store, QueueUrl).name, ReceiptHandle);
    return {};
  },

  DeleteMessageBatch(store, { QueueUrl, Entries }) {
    const { name } = queueAt(store, QueueUrl);
    rejectDuplicateIds(Entries);
    for (const { ReceiptHandle } of Entries) store.delete(name, ReceiptHandle);
    return { Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] };
  },

  ChangeMessageVisibility(store, { QueueUrl, ReceiptHandle, VisibilityTimeout = 0 }) {
    if (store.hide(queueAt(store, QueueUrl).name, ReceiptHandle, VisibilityTimeout)) return {};
    throw new Refusal(
      NOT_IN_FLIGHT,
      'The message is not in flight',
      `AWS.SimpleQueueService.${NOT_IN_FLIGHT}`,
    );
  },

  ChangeMessageVisibilityBatch(store, { QueueUrl, Entries }) {
    const { name } = queueAt(store, QueueUrl);
    rejectDuplicateIds(Entries);
    const { changed = [], refused = [] } = Object.groupBy(
      Entries,
      ({ ReceiptHandle, VisibilityTimeout = 0 }) =>
        store.hide(name, ReceiptHandle, VisibilityTimeout) ? 'changed' : 'refused',
    );
    return {
      Successful: changed.map(({ Id }) => ({ Id })),
      Failed: refused.map(({ Id }) => ({ Id, SenderFault: true, Code: NOT_IN_FLIGHT })),
    };
  },

  /** Moves what is visible before it answers; SQS takes its time. */
  StartMessageMoveTask(store, { SourceArn, DestinationArn }) {
    const source = queueOfArn(store, SourceArn);
    const origin = store.originOf(source.name);
    if (origin === undefined) {
      throw new Refusal('InvalidParameterValue', 'Source queue must be configured as a Dead Letter Queue.');
    }
    const destination = DestinationArn === undefined ? origin : queueOfArn(store, DestinationArn).name;
    const StartedTimestamp = Date.now();
    const moved = store.move(source.name, destination);
    const tasks = moveTasks.get(store) ?? [];
    tasks.unshift({
      Status: 'COMPLETED',
      SourceArn,
      ...(DestinationArn !== undefined && { DestinationArn }),
      ApproximateNumberOfMessagesMoved: moved,
      ApproximateNumberOfMessagesToMove: moved,
      StartedTimestamp,
    });
    moveTasks.set(store, tasks);
    return { TaskHandle: randomUUID() };
  },

  ListMessageMoveTasks(store, { SourceArn }) {
    queueOfArn(store, SourceArn);
    const newest = moveTasks.get(store)?.find((task) => task.SourceArn === SourceArn);
    return { Results: newest === undefined ? [] : [newest] };
  },
};

/** The tasks started since a store was opened, newest first. */
const moveTasks = new WeakMap<
  QueueStore,
  { readonly SourceArn: string; readonly [name: string]: unknown }[]
>();

/** Returns the URL of a queue on the endpoint. */
export const queueUrlAt = (endpoint: string, queue: string): string => `${endpoint}/000000000000/${queue}`;

/** `onFailure` is called with each error of the file. Handles a request whose target starts with `SQS_TARGET`. */
export async function answerSqs(
  store: QueueStore,
  request: LoopbackRequest,
  onFailure: (error: unknown) => void = () => {},
): Promise<LoopbackAnswer> {
  const name = String(request.headers['x-amz-target']).slice(SQS_TARGET.length);
  try {
    return json(200, await run(store, name, request));
  } catch (error) {
    if (!(error instanceof Refusal)) onFailure(error);
    const { type, message, queryCode } =
      error instanceof Refusal ? error : new Refusal('InternalError', String(error));
    return json(
      type === 'InternalError' ? 500 : 400,
      { __type: `com.amazonaws.sqs#${type}`, message },
      { 'x-amzn-query-error': `${queryCode};Sender` },
    );
  }
}

function run(store: QueueStore, name: string, request: LoopbackRequest): unknown {
  if (!isOperation(name)) throw new Refusal('InvalidAction', `The local endpoint does not support ${name}`);
  const input = jsonIn(request.body);
  if (input === undefined)
    throw new Refusal('InvalidParameterValue', 'The request body is not JSON, or it is too large');
  const { success, data, error } = z.safeParse(requests[name], input);
  if (success) return (operations[name] as (...args: unknown[]) => unknown)(store, data, request);
  const [issue] = error.issues;
  const parameter = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : issue?.path.join('.');
  throw new Refusal(
    'InvalidParameterValue',
    `The local endpoint does not support this value or parameter: ${parameter}`,
  );
}

const isOperation = (name: string): name is keyof Operations => Object.hasOwn(operations, name);

function send(store: QueueStore, { name }: QueueDefinition, body: string, delaySeconds = 0, group = '') {
  rejectTooLarge([body]);
  return {
    MessageId: store.send(name, body, delaySeconds, group),
    MD5OfMessageBody: md5(body).toString('hex'),
  };
}

function received(
  { messageId, receipt, body, receives, sent, firstReceived }: Received,
  { MessageSystemAttributeNames }: Requests['ReceiveMessage'],
) {
  const attributes = {
    ApproximateReceiveCount: String(receives),
    SentTimestamp: String(sent),
    ApproximateFirstReceiveTimestamp: String(firstReceived),
    SenderId: '000000000000',
  };
  return {
    MessageId: messageId,
    ReceiptHandle: receipt,
    Body: body,
    MD5OfBody: md5(body).toString('hex'),
    Attributes: pick(attributes, MessageSystemAttributeNames),
  };
}

function pick(attributes: Readonly<Record<string, string>>, wanted: readonly string[] = []) {
  const entries = Object.entries(attributes).filter(
    ([name]) => wanted.includes('All') || wanted.includes(name),
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function queueAt(store: QueueStore, url: string): QueueDefinition {
  const name = url.slice(url.lastIndexOf('/') + 1);
  const queue = store.queue(name);
  if (queue) return queue;
  throw new Refusal(
    'QueueDoesNotExist',
    `The specified queue does not exist: ${name}`,
    'AWS.SimpleQueueService.NonExistentQueue',
  );
}

function queueOfArn(store: QueueStore, arn: string): QueueDefinition {
  const queue = arn.startsWith(ARN) ? store.queue(arn.slice(ARN.length)) : undefined;
  if (queue !== undefined) return queue;
  throw new Refusal('ResourceNotFoundException', `The resource that you specified for ${arn} doesn't exist`);
}

function rejectDuplicateIds(entries: readonly { readonly Id: string }[]): void {
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new Refusal(
      'BatchEntryIdsNotDistinct',
      'Two or more batch entries in the request have the same Id',
    );
  }
}

function rejectTooLarge(bodies: readonly string[]): void {
  if (bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) > MAX_OCTETS) {
    throw new Refusal('InvalidParameterValue', `Messages must be shorter than ${MAX_OCTETS} bytes`);
  }
}

const json = (
  status: number,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): LoopbackAnswer => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.0', ...headers },
  body: JSON.stringify(content),
});
