/** Storing and announcing a received mail as SES does by its S3 action (Amazon SES, "Contents of notifications"). */
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { readHeaderSection } from '../../../shared/protocol/message/header-section.ts';
import type { ReceivedMail } from './trace-lines.ts';

export interface Destination {
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly bucket: string;
  readonly prefix: string;
  readonly queueUrl: string;
}

/** SES cuts the headers of a notification there. */
const MAX_HEADERS = 10_240;

/** The message first, so that nothing is announced that is not there. Throws what the stores throw. */
export async function deliverTo(destination: Destination, mail: ReceivedMail): Promise<void> {
  const { s3, sqs, bucket, prefix, queueUrl } = destination;
  const object = { Bucket: bucket, Key: `${prefix}${mail.messageId}` };
  await s3.send(new PutObjectCommand({ ...object, Body: mail.message }));
  try {
    const MessageBody = JSON.stringify(notification(mail, object));
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  } catch (error) {
    await s3.send(new DeleteObjectCommand(object)).catch(() => undefined);
    throw error;
  }
}

function notification(
  { messageId, mailFrom, recipients, receivedAt, message }: ReceivedMail,
  { Bucket, Key }: { Bucket: string; Key: string },
) {
  const timestamp = receivedAt.toISOString();
  const headers = readHeaderSection(message.subarray(0, MAX_HEADERS)).fields.map(({ name, value, raw }) => ({
    name: raw.slice(0, name.length),
    value,
  }));
  return {
    notificationType: 'Received',
    receipt: {
      timestamp,
      processingTimeMillis: Date.now() - receivedAt.getTime(),
      recipients,
      // Whether a sender is proven the service finds out itself, in both hosts.
      spamVerdict: { status: 'DISABLED' },
      virusVerdict: { status: 'DISABLED' },
      spfVerdict: { status: 'GRAY' },
      dkimVerdict: { status: 'GRAY' },
      dmarcVerdict: { status: 'GRAY' },
      action: { type: 'S3', bucketName: Bucket, objectKey: Key },
    },
    mail: {
      timestamp,
      source: mailFrom,
      messageId,
      destination: headers.flatMap(({ name, value }) => (/^(?:to|cc)$/i.test(name) ? addresses(value) : [])),
      headersTruncated: message.length > MAX_HEADERS,
      headers,
    },
  };
}

const addresses = (text: string): string[] => text.split(/[\s<>,;:"]+/).filter((word) => word.includes('@'));
