/** The SES notification about a stored mail (Amazon SES, "Contents of notifications for email receiving"). */
import * as z from 'zod/mini';
import { domainOf, localPartOf } from '../protocol/mail-address.ts';
import type { ReceiverVerdicts } from '../protocol/message/receiver-trace.ts';

export interface StoredMail {
  /** The message id that the mail server assigned. */
  readonly messageId: string;
  readonly receivedAt: Date;
  /** The envelope recipients; header addresses can be anything. */
  readonly recipients: readonly string[];
  /** The S3 key of the raw message. */
  readonly rawKey: string;
  /** Null if the mail server does not evaluate messages. */
  readonly verdicts: ReceiverVerdicts | null;
}

/** The distinct local parts of the addresses at these domains, in lower case. */
export function localPartsAt(domains: readonly string[], addresses: readonly string[]): readonly string[] {
  const found = addresses.flatMap((address) =>
    domains.includes(domainOf(address).toLowerCase()) ? [localPartOf(address).toLowerCase()] : [],
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

/** The test message that SES writes to the bucket when a rule is created; only its id is documented. */
const setup = z.object({ mail: z.object({ messageId: z.literal('AMAZON_SES_SETUP_NOTIFICATION') }) });

/**
 * The message of the queues of mail. Any other message means that the mail server is misconfigured, and must not get lost.
 */
export const sesNotification = z.union([setup, notification]);

type SesNotification = z.infer<typeof sesNotification>;

/** The mail that a notification announces; undefined if it announces none. */
export function storedMailOf(message: SesNotification): StoredMail | undefined {
  if (!('receipt' in message)) return undefined;
  const { receipt, mail } = message;
  return {
    messageId: mail.messageId,
    receivedAt: new Date(mail.timestamp),
    recipients: receipt.recipients,
    rawKey: receipt.action.objectKey,
    verdicts: readVerdicts(receipt),
  };
}

function readVerdicts(receipt: z.output<typeof notification>['receipt']): ReceiverVerdicts | null {
  const verdicts = {
    spf: readVerdict(receipt.spfVerdict),
    dkim: readVerdict(receipt.dkimVerdict),
    dmarc: readVerdict(receipt.dmarcVerdict),
  };
  return Object.values(verdicts).some((one) => one !== null) ? verdicts : null;
}

/** Null for `GRAY` (not applicable) and `PROCESSING_FAILED`. */
function readVerdict(given: z.output<typeof verdict>): 'pass' | 'fail' | null {
  const status = given?.status.toLowerCase();
  return status === 'pass' || status === 'fail' ? status : null;
}
