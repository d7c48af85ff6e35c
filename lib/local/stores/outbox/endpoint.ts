/** SES's SendEmail on loopback (AWS, "Amazon SES API v2 Reference"). */

import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { jsonIn } from '../json-body.ts';
import {
  type LoopbackAccess,
  type LoopbackAnswer,
  type LoopbackRequest,
  type LoopbackServer,
  serveLoopback,
} from '../loopback-server.ts';
import { addressOf, composeMessage } from './message.ts';
import { sendEmail } from './send-email.ts';
import { type MessageSender, NotSent } from './send-message.ts';

interface OutboxOptions extends LoopbackAccess {
  /** Where mails go. It stops with the endpoint. */
  readonly sender: MessageSender;
}

/** AWS, "Service quotas in Amazon SES": the bytes of a mail. */
const MAX_BODY = 40 * 1024 * 1024;

/** The path of SendEmail. */
export const SEND_EMAIL_PATH = '/v2/email/outbound-emails';

/** For `AWS_ENDPOINT_URL_SESV2`. */
export async function startOutbox({ sender, ...access }: OutboxOptions): Promise<LoopbackServer> {
  const server = await serveLoopback({
    ...access,
    maxBody: MAX_BODY,
    answer: (request) => answer(sender, request),
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
