/** The header fields that SES adds to the top of a received message, in the same format. */
import { randomBytes } from 'node:crypto';

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
