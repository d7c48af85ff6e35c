/** An SMTP client that sends exactly the given commands and records the replies. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';

export interface SmtpClient {
  /** Sends a command and returns the reply: the code and the text of all lines. */
  say(command: string): Promise<string>;
  /** Sends the content of a message after the 354 of DATA, with dots doubled and the final dot. */
  content(message: string | Uint8Array): Promise<string>;
  /** Sends a part of the content of a message unchanged, and waits until it has left. */
  part(content: string | Uint8Array): Promise<void>;
  /** Waits until the server closes the connection; returns the text that belongs to no reply. */
  ended(): Promise<string>;
  /** Sends STARTTLS; resolves after the handshake. The client cannot be used any more. */
  startTls(options: ConnectionOptions): Promise<TLSSocket>;
  close(): void;
}

const REPLY_MILLISECONDS = 20_000;

/**
 * Connects, reads the greeting and sends EHLO; throws if the greeting refuses. On Linux every `localAddress` in
 * 127.0.0.0/8 is available.
 */
export async function smtpClient(port: number, localAddress = '127.0.0.1'): Promise<SmtpClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  await once(socket, 'connect');
  // A server that closes a session while the client still sends resets the connection.
  socket.on('error', () => undefined);
  const { reply, ended } = replies(socket);
  const say = (command: string) => {
    socket.write(`${command}\r\n`);
    return reply();
  };
  const greeting = await reply();
  if (!greeting.startsWith('220')) throw new Error(greeting);
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
    part: (content) => new Promise((resolve) => socket.write(content, () => resolve())),
    ended,
    async startTls(options) {
      const said = await say('STARTTLS');
      if (!said.startsWith('220')) throw new Error(said);
      socket.removeAllListeners('data');
      const secure = connectTls({ ...options, socket });
      secure.on('error', () => undefined);
      await once(secure, 'secureConnect');
      return secure;
    },
    close: () => socket.destroy(),
  };
}

/** Starts a message to one recipient, up to the 354 of DATA. */
export async function startMessage(port: number, to: string, localAddress?: string): Promise<SmtpClient> {
  const client = await smtpClient(port, localAddress);
  for (const command of ['MAIL FROM:<dmarc@reporter.test>', `RCPT TO:<${to}>`, 'DATA']) {
    const reply = await client.say(command);
    if (!/^[23]/.test(reply)) throw new Error(reply);
  }
  return client;
}

/** Sends one message to all recipients; returns the last reply, or the first one that refuses. */
export async function sendMail(
  port: number,
  {
    from = 'dmarc@reporter.test',
    to,
    message,
    localAddress,
  }: { from?: string; to: readonly string[]; message: string | Uint8Array; localAddress?: string },
): Promise<string> {
  const client = await smtpClient(port, localAddress);
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

function replies(socket: Socket): { reply: () => Promise<string>; ended: () => Promise<string> } {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  async function waitFor<T>(find: () => T | undefined): Promise<T> {
    const until = Date.now() + REPLY_MILLISECONDS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (Date.now() > until) throw new Error(`no reply after: ${received}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  return {
    reply: () =>
      waitFor(() => {
        const end = /^\d{3}(?: .*)?\r\n/m.exec(received);
        if (end === null) {
          if (socket.destroyed) throw new Error(`no reply after: ${received}`);
          return undefined;
        }
        const reply = received.slice(0, end.index + end[0].length);
        received = received.slice(reply.length);
        return reply.trimEnd();
      }),
    ended: () => waitFor(() => (socket.destroyed ? received : undefined)),
  };
}
