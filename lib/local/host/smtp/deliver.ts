/**
 * What SES does with a received message: adds header fields to its top, stores it, and sends a notification (Amazon SES,
 * "Contents of notifications").
 */

import { randomBytes } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, type SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';

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

export interface Transaction {
  /** The reverse-path; empty for bounces. */
  readonly mailFrom: string;
  readonly helo: string;
  /** RFC 3848, such as `ESMTPS`. */
  readonly protocol: string;
  readonly ip: string;
  /** Envelope recipients, in lowercase. */
  readonly recipients: readonly string[];
  readonly receivedAt: Date;
}

export interface ReceivedMail extends Transaction {
  readonly messageId: string;
  /** The message including the trace fields. */
  readonly message: Uint8Array;
}

/** The listener's hostname. The first label is that of SES hosts; the domain marks this machine. */
export const EDGE_HOST = 'inbound-smtp.localhost';

/**
 * Assigns an ID to a message, whose content is in parts, and adds the Return-Path and Received fields (RFC 5321 section
 * 4.4).
 */
export function withTrace(content: readonly Uint8Array[], transaction: Transaction): ReceivedMail {
  const { mailFrom, helo, protocol, ip, recipients, receivedAt } = transaction;
  const messageId = newMessageId();
  const lines = [
    `Return-Path: <${mailFrom === '' ? '' : plain(mailFrom)}>`,
    `Received: from ${plain(helo)} (unknown [${ip}])`,
    ` by ${EDGE_HOST} with ${protocol} id ${messageId}`,
    ` for ${plain(recipients[0] ?? '')};`,
    ` ${receivedAt.toUTCString().replace('GMT', '+0000 (UTC)')}`,
    '',
  ];
  return { ...transaction, messageId, message: Buffer.concat([Buffer.from(lines.join('\r\n')), ...content]) };
}

/** 40 characters, like the IDs of SES. */
const newMessageId = (): string =>
  BigInt(`0x1${randomBytes(26).toString('hex')}`)
    .toString(36)
    .slice(-40);

/**
 * Removes what could end a line or a name in the trace fields. The square brackets of an address literal are allowed.
 */
const plain = (text: string): string => text.replace(/[^\x21-\x7e]|[<>()]/g, '?') || 'unknown';
