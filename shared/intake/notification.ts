/** What tells that a mail was stored: SES's notification (Amazon SES, "Contents of notifications for email receiving"). */
import * as z from 'zod/mini';

export interface StoredMail {
  /** The id that the edge gave the message. */
  readonly messageId: string;
  readonly receivedAt: Date;
  /** Addresses of the envelope: what the headers say is anyone's guess. */
  readonly recipients: readonly string[];
  /** The object that holds the message. */
  readonly rawKey: string;
}

/** The local parts at `domain` among addresses, in lower case and each once. */
export function localPartsAt(domain: string, addresses: readonly string[]): readonly string[] {
  const found = addresses.flatMap((address) => {
    const at = address.lastIndexOf('@');
    return address.slice(at + 1).toLowerCase() === domain
      ? [address.slice(0, Math.max(at, 0)).toLowerCase()]
      : [];
  });
  return [...new Set(found)];
}

const notification = z.object({
  receipt: z.object({
    recipients: z.array(z.string()),
    action: z.object({ type: z.literal('S3'), objectKey: z.string() }),
  }),
  mail: z.object({ messageId: z.string(), timestamp: z.iso.datetime({ offset: true }) }),
});

/** What SES writes into the bucket when a rule is made, to see whether it can. */
const SETUP_MESSAGE = 'AMAZON_SES_SETUP_NOTIFICATION';

/**
 * Reads a notification; undefined where it announces no mail.
 * @throws when it is none: then the edge is not set up as it should be, and the message must not get lost.
 */
export function readNotification(message: unknown): StoredMail | undefined {
  const { receipt, mail } = notification.parse(message);
  if (mail.messageId === SETUP_MESSAGE) return undefined;
  return {
    messageId: mail.messageId,
    receivedAt: new Date(mail.timestamp),
    recipients: receipt.recipients,
    rawKey: receipt.action.objectKey,
  };
}
