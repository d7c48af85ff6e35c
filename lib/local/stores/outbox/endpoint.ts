/**
 * SES's SendEmail on loopback: stores mails in a folder instead of sending them (AWS, "Amazon SES API v2 Reference").
 */

import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type IamAuthorizer, openToAll } from '../guard.ts';
import { jsonIn } from '../json-body.ts';
import {
  type LoopbackAnswer,
  type LoopbackRequest,
  type LoopbackServer,
  serveLoopback,
} from '../loopback-server.ts';
import { makePrivateFolder } from '../private-file.ts';
import { composeMessage } from './message.ts';
import { sendEmail } from './send-email.ts';

interface OutboxOptions {
  /** The folder for mails, one file `<time>-<id>.eml` each; created if missing. */
  readonly folder: string;
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
export function startOutbox({
  folder,
  guard = openToAll,
  sessionToken,
}: OutboxOptions): Promise<LoopbackServer> {
  makePrivateFolder(folder);
  return serveLoopback({
    port: 0,
    maxBody: MAX_BODY,
    sessionToken,
    answer: (request) => guard(request, (allowed) => answer(folder, allowed)),
  });
}

async function answer(folder: string, { method, url, body }: LoopbackRequest): Promise<LoopbackAnswer> {
  if (method !== 'POST' || url !== SEND_EMAIL_PATH) {
    return refusal(404, 'NotFoundException', `The local endpoint does not support ${method} ${url}`);
  }
  const { success, data, error } = z.safeParse(sendEmail, jsonIn(body));
  if (!success) {
    const parameter = error.issues.map(({ path }) => path.join('.')).join(', ');
    return refusal(
      400,
      'BadRequestException',
      `The local endpoint does not support this value or parameter: ${parameter}`,
    );
  }
  const id = randomUUID();
  const now = new Date();
  const file = join(folder, `${now.toISOString().replaceAll(':', '')}-${id}.eml`);
  // A rename makes the mail appear in the folder complete.
  writeFileSync(`${file}.part`, await composeMessage(data, id, now), { mode: 0o600 });
  renameSync(`${file}.part`, file);
  return json(200, { MessageId: id });
}

const refusal = (status: number, type: string, message: string): LoopbackAnswer =>
  json(status, { message }, { 'x-amzn-ErrorType': type });

const json = (status: number, said: unknown, headers = {}): LoopbackAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(said),
});
