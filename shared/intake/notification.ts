/** What tells that a mail was stored: SES's notification (Amazon SES, "Contents of notifications for email receiving"). */
import * as z from 'zod/mini';
import { domainOf, localPartOf } from '../protocol/mail-address.ts';
import type { EdgeVerdicts } from '../protocol/message/edge-trace.ts';

export interface StoredMail {
  /** The id that the edge gave the message. */
  readonly messageId: string;
  readonly receivedAt: Date;
  /** Addresses of the envelope: what the headers say is anyone's guess. */
  readonly recipients: readonly string[];
  /** The object that holds the message. */
  readonly rawKey: string;
  /** Null where the edge does not judge messages. */
  readonly verdicts: EdgeVerdicts | null;
}

/** The local parts at `domain` among addresses, in lower case and each once. */
export function localPartsAt(domain: string, addresses: readonly string[]): readonly string[] {
  const found = addresses.flatMap((address) =>
    domainOf(address).toLowerCase() === domain ? [localPartOf(address).toLowerCase()] : [],
  );
  return [...new Set(found)];
}

const verdict = z.optional(z.object({ status: z.string() }));

const notification = z.object({
  receipt: z.object({
    recipients: z.array(z.string()),
    spfVerdict: verdict,
    dkimVerdict: verdict,
    dmarcVerdict: verdict,
    action: z.object({ type: z.literal('S3'), objectKey: z.string() }),
  }),
  mail: z.object({ messageId: z.string(), timestamp: z.iso.datetime({ offset: true }) }),
});

/** What SES writes into the bucket when a rule is made, to see whether it can; only its id is known for certain. */
const setup = z.object({ mail: z.object({ messageId: z.literal('AMAZON_SES_SETUP_NOTIFICATION') }) });

/**
 * Reads a notification; undefined where it announces no mail.
 * @throws when it is none: then the edge is not set up as it should be, and the message must not get lost.
 */
export function readNotification(message: unknown): StoredMail | undefined {
  if (setup.safeParse(message).success) return undefined;
  const { receipt, mail } = notification.parse(message);
  return {
    messageId: mail.messageId,
    receivedAt: new Date(mail.timestamp),
    recipients: receipt.recipients,
    rawKey: receipt.action.objectKey,
    verdicts: readVerdicts(receipt),
  };
}

function readVerdicts(receipt: z.output<typeof notification>['receipt']): EdgeVerdicts | null {
  const verdicts = {
    spf: readVerdict(receipt.spfVerdict),
    dkim: readVerdict(receipt.dkimVerdict),
    dmarc: readVerdict(receipt.dmarcVerdict),
  };
  return Object.values(verdicts).some((one) => one !== null) ? verdicts : null;
}

/** `GRAY`: there was nothing to judge by; `PROCESSING_FAILED`: it could not be judged. */
function readVerdict(given: z.output<typeof verdict>): 'pass' | 'fail' | null {
  const status = given?.status.toLowerCase();
  return status === 'pass' || status === 'fail' ? status : null;
}
