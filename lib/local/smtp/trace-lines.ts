/** What SES writes on top of a message that it receives, written the same way. */
import { randomBytes } from 'node:crypto';

export interface Transaction {
  /** The reverse-path; empty for bounces. */
  readonly mailFrom: string;
  readonly helo: string;
  readonly ip: string;
  /** Addresses of the envelope, in lower case. */
  readonly recipients: readonly string[];
  readonly receivedAt: Date;
}

export interface ReceivedMail extends Transaction {
  readonly messageId: string;
  /** With the lines of the edge on top. */
  readonly message: Uint8Array;
}

/** What the listener calls itself: the first label is that of SES's hosts, the rest says that it is this machine. */
export const EDGE_HOST = 'inbound-smtp.localhost';

/** Gives a message its id, and the Return-Path and Received lines on top (RFC 5321 section 4.4). */
export function withTrace(message: Uint8Array, transaction: Transaction): ReceivedMail {
  const { mailFrom, helo, ip, recipients, receivedAt } = transaction;
  const messageId = newMessageId();
  const lines = [
    `Return-Path: <${mailFrom === '' ? '' : plain(mailFrom)}>`,
    `Received: from ${plain(helo)} (unknown [${ip}])`,
    ` by ${EDGE_HOST} with SMTP id ${messageId}`,
    ` for ${plain(recipients[0] ?? '')};`,
    ` ${receivedAt.toUTCString().replace('GMT', '+0000 (UTC)')}`,
    '',
  ];
  return { ...transaction, messageId, message: Buffer.concat([Buffer.from(lines.join('\r\n')), message]) };
}

/** 40 characters, as SES's own ids have. */
const newMessageId = (): string =>
  BigInt(`0x1${randomBytes(26).toString('hex')}`)
    .toString(36)
    .slice(-40);

/** Nothing that a client says can end a line or a name in it; the brackets of an address literal may stay. */
const plain = (text: string): string => text.replace(/[^\x21-\x7e]|[<>()]/g, '?') || 'unknown';
