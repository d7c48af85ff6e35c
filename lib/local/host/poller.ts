/**
 * Polls a queue and passes its messages to the handler, as Lambda's event source mapping does, including partial batch
 * failures.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Log } from '../../../shared/runtime/logging/log.ts';
import type { Consumer } from './program.ts';

interface PollerOptions extends Omit<Consumer, 'queue' | 'accessKeyId'> {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** No messages are received while this is true: what would handle them cannot store anything. */
  readonly isPaused?: () => boolean;
  readonly log: Log;
}

interface Poller {
  /** Receives no more messages. Resolves when the current invocations are done. */
  stop(): Promise<void>;
}

/** Messages of one request (AWS, "Amazon SQS API Reference", ReceiveMessage). */
const MAX_RECEIVED = 10;

/** The pause after a request to the queue fails, and while no messages are received. */
const PAUSE_MILLISECONDS = 1000;

export function startPoller({
  client,
  queueUrl,
  handler,
  batchSize,
  places,
  reportsFailures,
  isPaused = () => false,
  log,
}: PollerOptions): Poller {
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const polling = poll();
  return {
    async stop() {
      stopping.abort();
      await polling;
      await Promise.all(running);
    },
  };

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        // A failed invocation does not reject: its messages are received again.
        if (running.size >= places) await Promise.race(running);
        if (isPaused()) {
          await pause();
          continue;
        }
        const free = places - running.size;
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: Math.min(MAX_RECEIVED, batchSize * free),
            WaitTimeSeconds: 20,
            MessageSystemAttributeNames: ['All'],
          }),
          { abortSignal: stopping.signal },
        );
        for (let at = 0; at < Messages.length; at += batchSize) start(Messages.slice(at, at + batchSize));
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.error('queue poll failed', { function: handler.name, error });
        await pause();
      }
    }
  }

  async function pause(): Promise<void> {
    await sleep(PAUSE_MILLISECONDS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  function start(messages: readonly Message[]): void {
    const run = handle(messages)
      .catch((error) => {
        // A stop interrupts what takes too long; its messages are received again after the next start.
        if (!stopping.signal.aborted) log.error('queue poll failed', { function: handler.name, error });
      })
      .then(() => {
        running.delete(run);
      });
    running.add(run);
  }

  async function handle(messages: readonly Message[]): Promise<void> {
    const failed = await failedRecords(messages);
    const done = messages.filter((message) => !failed.has(message.MessageId ?? ''));
    if (done.length === 0) return;
    await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: done.map((message, at) => ({ Id: String(at), ReceiptHandle: message.ReceiptHandle })),
      }),
    );
  }

  async function failedRecords(messages: readonly Message[]): Promise<ReadonlySet<string>> {
    try {
      const answer = (await handler.invoke(sqsEvent(messages, queueUrl))) as SQSBatchResponse;
      if (!reportsFailures) return new Set();
      return new Set(answer.batchItemFailures.map((failure) => failure.itemIdentifier));
    } catch (error) {
      log.error('handler failed', { function: handler.name, error });
      return new Set(messages.map((message) => message.MessageId ?? ''));
    }
  }
}

function sqsEvent(messages: readonly Message[], queueUrl: string): SQSEvent {
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId ?? '',
      receiptHandle: message.ReceiptHandle ?? '',
      body: message.Body ?? '',
      attributes: { ...message.Attributes } as SQSEvent['Records'][number]['attributes'],
      messageAttributes: {},
      md5OfBody: message.MD5OfBody ?? '',
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:local:000000000000:${queueUrl.slice(queueUrl.lastIndexOf('/') + 1)}`,
      awsRegion: 'local',
    })),
  };
}
