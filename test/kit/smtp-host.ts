/** A scriptable MX host on loopback: each step of the dialogue is an option, and the default is correct behaviour. */
import { createServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';

export interface SmtpHostOptions {
  readonly certificate?: { readonly cert: string; readonly key: string; readonly chain?: string };
  /** The banner; `null` sends nothing, like a tarpit. */
  readonly greeting?: string | null;
  /** Delay before the banner. */
  readonly greetingDelayMilliseconds?: number;
  /** The reply to EHLO instead of the default one; `null` for no reply. */
  readonly ehlo?: string | null;
  readonly helo?: string;
  /** The reply to STARTTLS, which is offered if there is a certificate; only a 220 starts TLS. */
  readonly starttls?: string | null;
  /** What follows the reply to STARTTLS instead of a handshake. */
  readonly afterStarttls?: 'close' | 'garbage' | 'silence';
  readonly tls?: SecureContextOptions;
  readonly mailFrom?: string;
  readonly rcptTo?: string | null;
  /** Closes the connection instead of replying to this command. */
  readonly closeOn?: string;
  /** Sent instead of all replies, byte for byte. */
  readonly raw?: string;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** A free port by default. */
  readonly port?: number;
}

export interface SmtpHost {
  readonly address: string;
  readonly port: number;
  /** Commands in order of arrival; `TLS` marks a completed handshake. */
  readonly commands: readonly string[];
  connections(): number;
  stop(): Promise<void>;
}

/** Starts a host, on a free loopback port by default. */
export async function startSmtpHost(options: SmtpHostOptions = {}): Promise<SmtpHost> {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  function reply(command: string, secure: boolean): string | null {
    const verb = (command.split(' ')[0] ?? '').toUpperCase();
    switch (verb) {
      case 'EHLO': {
        if (options.ehlo !== undefined) return options.ehlo;
        const offer = options.certificate !== undefined && !secure ? '250-STARTTLS\r\n' : '';
        return `250-mx.test\r\n250-PIPELINING\r\n${offer}250 SIZE 1000000`;
      }
      case 'HELO':
        return options.helo ?? '250 mx.test';
      case 'STARTTLS':
        return options.starttls === undefined ? '220 go ahead' : options.starttls;
      case 'MAIL':
        return options.mailFrom ?? '250 ok';
      case 'RCPT':
        return options.rcptTo === undefined ? '250 ok' : options.rcptTo;
      case 'QUIT':
        return '221 bye';
      default:
        return '500 what?';
    }
  }

  function serve(socket: Socket, secure: boolean): void {
    let received = '';
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (let end = received.indexOf('\r\n'); end !== -1; end = received.indexOf('\r\n')) {
        const command = received.slice(0, end);
        received = received.slice(end + 2);
        commands.push(command);
        if (options.closeOn !== undefined && command.toUpperCase().startsWith(options.closeOn)) {
          socket.destroy();
          return;
        }
        const answer = reply(command, secure);
        if (answer !== null) socket.write(`${answer}\r\n`);
        if (command.toUpperCase() === 'QUIT') socket.end();
        if (command.toUpperCase() === 'STARTTLS' && answer?.startsWith('220') === true) {
          socket.off('data', onData);
          startTls(socket);
          return;
        }
      }
    };
    socket.on('data', onData);
  }

  function startTls(socket: Socket): void {
    if (options.afterStarttls === 'close') socket.destroy();
    if (options.afterStarttls === 'garbage')
      socket.write('this is no TLS, this is no TLS, this is no TLS\r\n');
    if (options.afterStarttls !== undefined) return;
    const { certificate } = options;
    const cert = certificate?.chain ?? certificate?.cert;
    const secureContext = createSecureContext({ cert, key: certificate?.key, ...options.tls });
    const secure = new TLSSocket(socket, { isServer: true, secureContext });
    // From here on, only the TLS socket may be destroyed; destroying both ends the process.
    sockets.delete(socket);
    sockets.add(secure);
    secure.on('close', () => sockets.delete(secure));
    secure.on('error', () => secure.destroy());
    secure.once('secure', () => commands.push('TLS'));
    serve(secure, true);
  }

  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (options.raw !== undefined) {
      socket.write(options.raw, 'latin1');
      return;
    }
    const greeting = options.greeting === undefined ? '220 mx.test ESMTP' : options.greeting;
    if (greeting === null) return;
    setTimeout(() => socket.write(`${greeting}\r\n`), options.greetingDelayMilliseconds ?? 0);
    serve(socket, false);
  });
  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve),
  );
  const bound = server.address();
  return {
    address: '127.0.0.1',
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    commands,
    connections: () => connections,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
