/**
 * Stores a received message and sends a notification, as the S3 action of SES does (Amazon SES, "Contents of
 * notifications").
 */
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, type SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';
import type { ReceivedMail } from './trace-lines.ts';

export interface Destination {
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly bucket: string;
  readonly prefix: string;
  readonly queueUrl: string;
}

/** SES truncates the headers in a notification after this many bytes. */
const MAX_HEADERS = 10_240;

/**
 * Stores the message before the notification, so that no notification refers to a missing object. Throws the errors of
 * the stores.
 */
export async function deliverTo(destination: Destination, mail: ReceivedMail): Promise<void> {
  const { s3, sqs, bucket, prefix, queueUrl } = destination;
  const object = { Bucket: bucket, Key: `${prefix}${mail.messageId}` };
  await s3.send(new PutObjectCommand({ ...object, Body: mail.message }));
  try {
    const MessageBody = JSON.stringify(notification(mail, object));
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  } catch (error) {
    // Without a response, the notification may have been sent, and its reader needs the message.
    if (error instanceof SQSServiceException)
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
      // The service authenticates senders itself, on AWS and locally, so it ignores these verdicts.
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
