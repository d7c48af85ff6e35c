/** A client that says to an SMTP server just what it is told, and keeps the replies. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface SmtpClient {
  /** Sends a command and waits for its reply: the code and the text of all lines. */
  say(command: string): Promise<string>;
  /** Sends the content of a message after DATA's 354, dots doubled, and its end. */
  content(message: string | Uint8Array): Promise<string>;
  close(): void;
}

const REPLY_MILLISECONDS = 20_000;

/** Connects, reads the greeting and says EHLO. */
export async function smtpClient(port: number): Promise<SmtpClient> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const reply = replies(socket);
  const say = (command: string) => {
    socket.write(`${command}\r\n`);
    return reply();
  };
  await reply();
  await say('EHLO client.reporter.test');
  return {
    say,
    content(message) {
      const text = Buffer.from(message as string)
        .toString('latin1')
        .replace(/^\./gm, '..');
      socket.write(Buffer.from(`${text}\r\n.\r\n`, 'latin1'));
      return reply();
    },
    close: () => socket.destroy(),
  };
}

/** Sends one message to all recipients; returns the last reply, or the first one that refuses. */
export async function sendMail(
  port: number,
  {
    from = 'dmarc@reporter.test',
    to,
    message,
  }: { from?: string; to: readonly string[]; message: string | Uint8Array },
): Promise<string> {
  const client = await smtpClient(port);
  try {
    for (const command of [`MAIL FROM:<${from}>`, ...to.map((one) => `RCPT TO:<${one}>`), 'DATA']) {
      const reply = await client.say(command);
      if (!/^[23]/.test(reply)) return reply;
    }
    return await client.content(message);
  } finally {
    client.close();
  }
}

function replies(socket: Socket): () => Promise<string> {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  return async () => {
    const until = Date.now() + REPLY_MILLISECONDS;
    for (;;) {
      const end = /^\d{3}(?: .*)?\r\n/m.exec(received);
      if (end !== null) {
        const reply = received.slice(0, end.index + end[0].length);
        received = received.slice(reply.length);
        return reply.trimEnd();
      }
      if (socket.destroyed || Date.now() > until) throw new Error(`no reply after: ${received}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
}
