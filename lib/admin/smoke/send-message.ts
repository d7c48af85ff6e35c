/** Hands one message to a mail server, in the clear, as a sender without TLS would (RFC 5321). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { SmtpChannel } from '../../../shared/network/smtp-channel.ts';
import { writeReply } from '../../../shared/network/smtp-reply.ts';
import { Unexpected } from './client.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
}

/** From the connection to the server's last reply. */
const DIALOGUE_MILLISECONDS = 60_000;

/** @throws Unexpected with the reply that refuses it, or why there was none. */
export async function sendTestMessage(
  { host, port }: MailServer,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const signal = AbortSignal.timeout(DIALOGUE_MILLISECONDS);
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal });
    const channel = new SmtpChannel(socket, signal);
    // A bounce's empty reverse-path: nobody is answered if it cannot be delivered.
    const commands = [
      undefined,
      'EHLO localhost',
      'MAIL FROM:<>',
      `RCPT TO:<${to}>`,
      'DATA',
      message(from, to),
    ];
    for (const command of commands) {
      const reply = await channel.command(command);
      if (reply.code >= 400) throw new Unexpected(`the mail server said ${writeReply(reply)}`);
    }
    channel.quit();
  } catch (error) {
    socket.destroy();
    if (error instanceof Unexpected) throw error;
    throw new Unexpected(`no mail server at ${host}:${port}: ${(error as Error).message}`);
  }
}

function message(from: string, to: string): string {
  const now = new Date();
  return [
    `From: <${from}>`,
    `To: <${to}>`,
    'Subject: Smoke test',
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${now.getTime()}@${from.slice(from.indexOf('@') + 1)}>`,
    '',
    'Is anybody there?',
    '.',
  ].join('\r\n');
}
