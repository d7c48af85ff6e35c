/** Sends one message to a mail server without TLS (RFC 5321). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { SmtpChannel } from '../../../shared/network/smtp-channel.ts';
import { writeReply } from '../../../shared/network/smtp-reply.ts';
import { Unexpected } from './client.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
}

/** The time limit for the whole SMTP session. */
const DIALOGUE_MILLISECONDS = 60_000;

interface TestMessage {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** The reverse-path. Empty, as in a bounce, so that no bounce is sent if the message cannot be delivered. */
  readonly mailFrom: string;
  /** The body; by default, a text that says what the message is. */
  readonly content?: { readonly type: string; readonly text: string };
}

const TEXT = { type: 'text/plain', text: 'This is a test message.' };

/** @throws Unexpected with the reply that rejects the message, or the reason why there is no reply. */
export async function sendTestMessage({ host, port }: MailServer, test: TestMessage): Promise<void> {
  const signal = AbortSignal.timeout(DIALOGUE_MILLISECONDS);
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal });
    const channel = new SmtpChannel(socket, signal);
    const commands = [
      undefined,
      'EHLO localhost',
      `MAIL FROM:<${test.mailFrom}>`,
      `RCPT TO:<${test.to}>`,
      'DATA',
      message(test),
    ];
    for (const command of commands) {
      const reply = await channel.command(command);
      if (reply.code >= 400) throw new Unexpected(`the mail server replied ${writeReply(reply)}`);
    }
    channel.quit();
  } catch (error) {
    socket.destroy();
    if (error instanceof Unexpected) throw error;
    throw new Unexpected(`cannot reach the mail server at ${host}:${port}: ${(error as Error).message}`);
  }
}

function message({ from, to, subject, content = TEXT }: TestMessage): string {
  const now = new Date();
  return [
    `From: <${from}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${now.getTime()}@${from.slice(from.indexOf('@') + 1)}>`,
    'MIME-Version: 1.0',
    `Content-Type: ${content.type}`,
    '',
    ...content.text.split(/\r?\n/).map((line) => (line.startsWith('.') ? `.${line}` : line)),
    '.',
  ].join('\r\n');
}
