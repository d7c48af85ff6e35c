/** SES's SendEmail on loopback (AWS, "Amazon SES API v2 Reference"). */

import { randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import * as z from 'zod/mini';
import { domainOf } from '../../../../shared/protocol/mail-address.ts';
import { type IamAuthorizer, openToAll } from '../guard.ts';
import { jsonIn } from '../json-body.ts';
import {
  type LoopbackAnswer,
  type LoopbackRequest,
  type LoopbackServer,
  serveLoopback,
} from '../loopback-server.ts';
import { type MessageSender, NotSent } from './send-message.ts';

interface OutboxOptions {
  /** Where mails go. It stops with the endpoint. */
  readonly sender: MessageSender;
  /** By default, every request is allowed. */
  readonly guard?: IamAuthorizer;
  /** Required of every request: see `LoopbackOptions`. */
  readonly sessionToken?: string;
}

/** AWS, "Service quotas in Amazon SES": the bytes of a mail. */
const MAX_BODY = 40 * 1024 * 1024;

/** The path of SendEmail. */
export const SEND_EMAIL_PATH = '/v2/email/outbound-emails';

/** For `AWS_ENDPOINT_URL_SESV2`. */
export async function startOutbox({
  sender,
  guard = openToAll,
  sessionToken,
}: OutboxOptions): Promise<LoopbackServer> {
  const server = await serveLoopback({
    port: 0,
    maxBody: MAX_BODY,
    sessionToken,
    answer: (request) => guard(request, (allowed) => answer(sender, allowed)),
  });
  return { ...server, stop: () => server.stop().finally(() => sender.stop()) };
}

async function answer(
  sender: MessageSender,
  { method, url, body }: LoopbackRequest,
): Promise<LoopbackAnswer> {
  if (method !== 'POST' || url !== SEND_EMAIL_PATH) {
    return refusal(404, 'NotFoundException', `The local endpoint does not support ${method} ${url}`);
  }
  const { success, data, error } = z.safeParse(sendEmail, jsonIn(body));
  if (!success) {
    const parameter = error.issues.map(({ path }) => path.join('.')).join(', ');
    return refusal(
      400,
      PERMANENT,
      `The local endpoint does not support this value or parameter: ${parameter}`,
    );
  }
  const id = randomUUID();
  const composedAt = new Date();
  const from = addressOf(data.FromEmailAddress);
  const to = data.Destination.ToAddresses.map(addressOf);
  const content = await composeMessage(data, id, composedAt);
  try {
    await sender.send({ id, composedAt, from, to, content });
  } catch (failure) {
    if (!(failure instanceof NotSent)) throw failure;
    return refusal(400, failure.isPermanent ? PERMANENT : TEMPORARY, failure.message);
  }
  return json(200, { MessageId: id });
}

/** The mail itself cannot be sent; mail cannot be sent now. The SDK retries neither by itself. */
const PERMANENT = 'BadRequestException';
const TEMPORARY = 'SendingPausedException';

const refusal = (status: number, type: string, message: string): LoopbackAnswer =>
  json(status, { message }, { 'x-amzn-ErrorType': type });

const json = (status: number, said: unknown, headers = {}): LoopbackAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(said),
});

/** The maximum length of an encoded word, which is 75 in all (RFC 2047 section 2). */
const MAX_WORD = 52;

export function composeMessage(
  { FromEmailAddress, Destination, Content }: SendEmail,
  id: string,
  now: Date,
): Promise<Buffer> {
  const { Subject, Body, Headers = [] } = Content.Simple;
  return new MailComposer({
    from: FromEmailAddress,
    to: Destination.ToAddresses,
    // The composer takes a text that looks like encoded words for encoded.
    subject: Subject.Data.includes('=?') ? encodeWord(Subject.Data, 'B', MAX_WORD) : Subject.Data,
    date: now,
    // SES assigns its own message id.
    messageId: `<${id}@${domainOf(addressOf(FromEmailAddress))}>`,
    headers: Headers.map(({ Name, Value }) => ({ key: Name, value: Value })),
    text: part(Body.Text.Data),
    html: part(Body.Html.Data),
    newline: 'windows',
  })
    .compile()
    .build();
}

/** The address in `Name <address>`, or the address itself. */
export const addressOf = (text: string): string => /<([^<>]+)>$/.exec(text)?.[1] ?? text;

/** The composer would write a carriage return without a line feed as it is, which mail must not have. */
const part = (content: string) => ({
  content,
  ...(content.replaceAll('\r\n', '').includes('\r') && { contentTransferEncoding: 'base64' as const }),
});

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
