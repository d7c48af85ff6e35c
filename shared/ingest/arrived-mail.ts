/**
 * A mail that arrived and is stored. The mail server announces it by the notification of SES (Amazon SES, "Contents of
 * notifications for email receiving"); from there on, this is its only shape.
 */
import * as z from 'zod/mini';
import { domainOf, localPartOf } from '../protocol/mail-address.ts';

const result = z.nullable(z.enum(['pass', 'fail']));

/** The message of the queues `reports` and `tester`. */
export const arrivedMail = z.object({
  /** The message id that the mail server assigned. */
  messageId: z.string(),
  receivedAt: z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform((time) => new Date(time)),
  ),
  /** The envelope recipients; header addresses can be anything. */
  recipients: z.readonly(z.array(z.string())),
  /** The S3 key of the raw message. */
  rawKey: z.string(),
  /** Null if the mail server does not evaluate messages. */
  verdicts: z.nullable(z.object({ spf: result, dkim: result, dmarc: result })),
});

export type ArrivedMail = Readonly<z.output<typeof arrivedMail>>;

/** The distinct local parts of the addresses at these domains, in lower case. */
export function localPartsAt(domains: readonly string[], addresses: readonly string[]): readonly string[] {
  const found = addresses.flatMap((address) =>
    domains.includes(domainOf(address).toLowerCase()) ? [localPartOf(address).toLowerCase()] : [],
  );
  return [...new Set(found)];
}

/** Null for `GRAY` (not applicable) and `PROCESSING_FAILED`. */
const verdict = z._default(
  z.pipe(
    z.object({ status: z.string() }),
    z.transform(({ status }) => verdictNamed(status.toLowerCase())),
  ),
  null,
);

const verdictNamed = (name: string): 'pass' | 'fail' | null =>
  name === 'pass' || name === 'fail' ? name : null;

const notification = z.pipe(
  z.pipe(
    z.object({
      receipt: z.object({
        recipients: z.array(z.string()),
        spfVerdict: verdict,
        dkimVerdict: verdict,
        dmarcVerdict: verdict,
        action: z.object({
          type: z.literal('S3'),
          bucketName: z._default(z.string(), ''),
          objectKey: z.string(),
        }),
      }),
      mail: z.object({ messageId: z.string(), timestamp: z.string() }),
    }),
    z.transform(({ receipt, mail }): unknown => {
      const verdicts = { spf: receipt.spfVerdict, dkim: receipt.dkimVerdict, dmarc: receipt.dmarcVerdict };
      return {
        messageId: mail.messageId,
        receivedAt: mail.timestamp,
        recipients: receipt.recipients,
        rawKey: receipt.action.objectKey,
        bucket: receipt.action.bucketName,
        verdicts: Object.values(verdicts).some((one) => one !== null) ? verdicts : null,
      };
    }),
  ),
  // The bucket that it is in now; the readers know theirs.
  z.extend(arrivedMail, { bucket: z.string() }),
);

/** The test message that SES writes to the bucket when a rule is created; only its id is documented. */
const setup = z.pipe(
  z.object({ mail: z.object({ messageId: z.literal('AMAZON_SES_SETUP_NOTIFICATION') }) }),
  z.transform(() => null),
);

/**
 * The message of the queue `arrivals`; null if it announces no mail. Any other message means that the mail server is
 * misconfigured, and must not get lost.
 */
export const sesNotification = z.union([setup, notification]);
