/** The body of a SendEmail request (AWS, "Amazon SES API v2 Reference"). */
import * as z from 'zod/mini';

/** SES accepts an address with or without a display name, on one line. */
const address = z.string().check(z.regex(/^(?:[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/));
const content = z.strictObject({ Data: z.string(), Charset: z.literal('UTF-8') });
const oneLine = (limit: number, pattern: RegExp) => z.string().check(z.maxLength(limit), z.regex(pattern));

/** Unlisted parameters are rejected, so nothing that AWS would have done is silently ignored. */
export const sendEmail = z.strictObject({
  FromEmailAddress: address,
  Destination: z.strictObject({ ToAddresses: z.array(address).check(z.minLength(1), z.maxLength(50)) }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: content,
      Body: z.strictObject({ Text: content, Html: content }),
      Headers: z.optional(
        z.array(
          z.strictObject({
            Name: oneLine(126, /^[\x21-\x39\x3b-\x7e]+$/),
            Value: oneLine(995, /^[\x20-\x7e]*$/),
          }),
        ),
      ),
    }),
  }),
});

export type SendEmail = z.output<typeof sendEmail>;
