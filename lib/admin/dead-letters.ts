/**
 * The dead letters of a queue by SQS's own interface, on AWS or on the embedded endpoint. To read a message is to receive
 * it: it is hidden from everybody else until it is given back, and its receive count rises.
 */
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
  UnsupportedOperation,
} from '@aws-sdk/client-sqs';
import { queueSize } from '../../shared/runtime/workers/queue-size.ts';
import type { QueueUrls } from '../cloud/queue-outputs.ts';
import { CommandError } from '../terminal/command-line.ts';

export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  readonly firstReceived: Date;
  /** This look at it included. */
  readonly receives: number;
}

export interface DeadLetters {
  /** About how many there are, those included that somebody else has received. */
  readonly count: number;
  /** Those that could be received, oldest first. */
  readonly messages: readonly DeadLetter[];
}

/** For how long a message is hidden from others where this program ends before it gives it back. */
const HIDDEN_SECONDS = 60;
/** SQS asks all its servers only where a receive waits at all. */
const WAIT_SECONDS = 1;
const BATCH = 10;
/** Messages that are gone through to find one. */
const MOST_SEARCHED = 1_000;

const MOVE_POLL_MILLISECONDS = 500;
/** Large moves take longer; they go on without this program. */
const MOVE_MILLISECONDS = 10 * 60_000;

/** Looks at the dead letters of a queue, at most `most` of them. */
export async function readDeadLetters(
  client: SQSClient,
  urls: QueueUrls,
  most: number,
): Promise<DeadLetters> {
  const count = await queueSize(client, urls.deadLetters);
  const received: Message[] = [];
  try {
    for await (const some of receiveEach(client, urls.deadLetters, most)) received.push(...some);
  } finally {
    await giveBack(client, urls.deadLetters, received);
  }
  const messages = received.map(({ MessageId = '', Body = '', Attributes: told = {} }) => ({
    id: MessageId,
    body: Body,
    firstReceived: new Date(Number(told.ApproximateFirstReceiveTimestamp)),
    receives: Number(told.ApproximateReceiveCount),
  }));
  return {
    count: Math.max(count, messages.length),
    messages: messages.toSorted((a, b) => a.firstReceived.getTime() - b.firstReceived.getTime()),
  };
}

/**
 * Sends one dead letter back to its queue, as a new message. It is deleted only when that is done, so that it may be
 * handled twice and never gets lost. Returns false where it is not among those that can be received.
 */
export async function sendBack(client: SQSClient, urls: QueueUrls, id: string): Promise<boolean> {
  const received: Message[] = [];
  const found = () => received.find(({ MessageId }) => MessageId === id);
  try {
    for await (const some of receiveEach(client, urls.deadLetters, MOST_SEARCHED)) {
      received.push(...some);
      if (found() !== undefined) break;
    }
    const { Body, ReceiptHandle } = found() ?? {};
    if (Body === undefined) return false;
    await client.send(new SendMessageCommand({ QueueUrl: urls.queue, MessageBody: Body }));
    await client.send(new DeleteMessageCommand({ QueueUrl: urls.deadLetters, ReceiptHandle }));
    return true;
  } finally {
    await giveBack(client, urls.deadLetters, received);
  }
}

/**
 * Sends all dead letters back to their queue, as new messages. Those that somebody has received stay.
 * @returns how many were moved, and whether the move is over.
 * @throws CommandError where it failed, or another one is under way.
 */
export async function sendAllBack(
  client: SQSClient,
  urls: QueueUrls,
  show: (done: number, total: number) => void,
): Promise<{ moved: number; isOver: boolean }> {
  const [SourceArn, DestinationArn] = await Promise.all([
    arnOf(client, urls.deadLetters),
    arnOf(client, urls.queue),
  ]);
  try {
    await client.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
  } catch (error) {
    if (error instanceof UnsupportedOperation) throw new CommandError(error.message);
    throw error;
  }
  const until = Date.now() + MOVE_MILLISECONDS;
  for (;;) {
    const { Results: [task] = [] } = await client.send(new ListMessageMoveTasksCommand({ SourceArn }));
    const moved = task?.ApproximateNumberOfMessagesMoved ?? 0;
    show(moved, task?.ApproximateNumberOfMessagesToMove ?? 0);
    if (isOver(task)) return { moved, isOver: true };
    if (Date.now() > until) return { moved, isOver: false };
    await new Promise((resolve) => setTimeout(resolve, MOVE_POLL_MILLISECONDS));
  }
}

function isOver(task: ListMessageMoveTasksResultEntry | undefined): boolean {
  if (task?.Status === 'FAILED' || task?.Status === 'CANCELLED') {
    const { Status, FailureReason = 'no reason given', ApproximateNumberOfMessagesMoved = 0 } = task;
    throw new CommandError(
      `the move ended as ${Status} (${FailureReason}), ${ApproximateNumberOfMessagesMoved} moved`,
    );
  }
  return task?.Status === 'COMPLETED';
}

/** Receives what is visible, some at a time and each message once, at most `most`. */
async function* receiveEach(client: SQSClient, queueUrl: string, most: number): AsyncGenerator<Message[]> {
  const seen = new Set<string | undefined>();
  while (seen.size < most) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(BATCH, most - seen.size),
        VisibilityTimeout: HIDDEN_SECONDS,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['ApproximateReceiveCount', 'ApproximateFirstReceiveTimestamp'],
      }),
    );
    const fresh = Messages.filter(({ MessageId }) => !seen.has(MessageId));
    if (fresh.length === 0) return;
    for (const { MessageId } of fresh) seen.add(MessageId);
    yield fresh;
  }
}

/** Makes messages visible again, those that are still there; where this fails, they are by themselves in a minute. */
async function giveBack(client: SQSClient, queueUrl: string, messages: readonly Message[]): Promise<void> {
  for (let at = 0; at < messages.length; at += BATCH) {
    const Entries = messages.slice(at, at + BATCH).map(({ ReceiptHandle }, n) => ({
      Id: String(n),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

async function arnOf(client: SQSClient, queueUrl: string): Promise<string | undefined> {
  const wanted = { QueueUrl: queueUrl, AttributeNames: ['QueueArn' as const] };
  return (await client.send(new GetQueueAttributesCommand(wanted))).Attributes?.QueueArn;
}
