/** Sends messages to the queues of the service. */
import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { awsAccess } from '../../store/aws-access.ts';
import { config } from '../config/config.ts';
import { messageBody } from './message.ts';
import { queueSize } from './queue-size.ts';
import { type QueueName, queues } from './trigger.ts';

export interface Queue {
  /** Sends one message as JSON. It is handled at least once. */
  send(message: object, options?: SendOptions): Promise<void>;
  /** Sends at most ten messages in one request; returns those that were sent. */
  sendBatch<Message extends object>(messages: readonly Message[]): Promise<readonly Message[]>;
  /** The approximate number of messages that are waiting, delayed, or being handled. */
  size(): Promise<number>;
}

export interface SendOptions {
  /** At most 900. */
  readonly delaySeconds?: number;
  /** Groups of messages take turns: at most 128 letters, digits and punctuation characters. */
  readonly group?: string;
}

const urlOf = (name: QueueName): string => config()[queues[name].urlKey];

let client: SQSClient | undefined;

/**
 * Postpones the retry of a message that is being handled: after the handler fails, the message is redelivered after this
 * many seconds (at most 43,200). `receipt` is the receipt handle of the message.
 */
export function postpone(name: QueueName): (receipt: string, seconds: number) => Promise<void> {
  client ??= new SQSClient(awsAccess());
  const sqs = client;
  const QueueUrl = urlOf(name);
  return async (receipt, seconds) => {
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receipt, VisibilityTimeout: seconds }),
    );
  };
}

export function queue(name: QueueName): Queue {
  client ??= new SQSClient(awsAccess());
  const sqs = client;
  const QueueUrl = urlOf(name);
  return {
    async send(message, { delaySeconds, group } = {}) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: messageBody(message),
          ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
          ...(group !== undefined && { MessageGroupId: group }),
        }),
      );
    },
    async sendBatch(messages) {
      const { Successful = [] } = await sqs.send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: messages.map((message, at) => ({ Id: String(at), MessageBody: messageBody(message) })),
        }),
      );
      return messages.filter((_message, at) => Successful.some(({ Id }) => Id === String(at)));
    },
    size: () => queueSize(sqs, QueueUrl),
  };
}
