/** The client's side of an SMTP dialogue: one command, one reply, first on a plain connection and then inside TLS. */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ReplyReader, type SmtpReply } from './smtp-reply.ts';

/** How long a server may take over its answer to QUIT before the connection is closed without it. */
const QUIT_MILLISECONDS = 1000;

/** The server ended the connection. */
export class ConnectionClosed extends Error {}

/**
 * A dialogue on one connection. Its promises reject with ConnectionClosed, with MalformedReply, with the socket's
 * error or with the reason of the signal; after the first of them it is over.
 */
export class SmtpChannel {
  /** The last reply that came. */
  lastReply: SmtpReply | undefined;
  #socket: Socket | undefined;
  readonly #signal: AbortSignal;
  readonly #reader = new ReplyReader();
  #awaiting: { resolve: (reply: SmtpReply) => void; reject: (error: unknown) => void } | undefined;
  #failure: unknown;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort);
    this.#attach(socket);
  }

  /** Sends a command and waits for its reply; without one, waits for what the server says by itself. */
  command(line?: string): Promise<SmtpReply> {
    return new Promise((resolve, reject) => {
      if (this.#signal.aborted) this.#fail(this.#signal.reason);
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#awaiting = { resolve, reject };
      if (line !== undefined) this.#socket?.write(`${line}\r\n`);
      this.#deliver();
    });
  }

  /**
   * Goes on inside TLS, which `handshake` sets up on the plain connection. Octets that came in the clear behind the
   * last reply were put there to be taken for an answer inside TLS (RFC 3207 section 6), and end the dialogue.
   */
  async upgrade(handshake: (socket: Socket) => Promise<TLSSocket>): Promise<TLSSocket> {
    const plain = this.#socket;
    try {
      if (plain === undefined || this.#reader.discard()) {
        throw new Error('text in the clear behind the reply to STARTTLS');
      }
      this.#detach(plain);
      // From here on it belongs to the TLS socket and must not be destroyed on its own (see handshake).
      this.#socket = undefined;
      const secure = await handshake(plain);
      this.#attach(secure);
      return secure;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Leaves, with QUIT where the dialogue still stands. Nobody has to wait for it. */
  quit(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#detach(socket);
    if (this.#failure !== undefined) {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), QUIT_MILLISECONDS).unref();
    socket.once('data', () => socket.destroy());
    socket.once('close', () => clearTimeout(timer));
    socket.unref();
    socket.end('QUIT\r\n');
    socket.resume();
  }

  #attach(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd).on('error', this.#fail);
    socket.pause();
  }

  /** The listener for errors stays, since a socket without one would end the process. */
  #detach(socket: Socket): void {
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reader.push(chunk);
    // Nothing is read ahead of the dialogue, so that a server cannot fill the memory between two commands.
    this.#socket?.pause();
    this.#deliver();
  };

  readonly #onEnd = (): void => this.#fail(new ConnectionClosed('the server closed the connection'));

  readonly #onAbort = (): void => this.#fail(this.#signal.reason);

  readonly #fail = (error: unknown): void => {
    this.#failure ??= error;
    this.#awaiting?.reject(this.#failure);
    this.#awaiting = undefined;
  };

  #deliver(): void {
    if (this.#awaiting === undefined) return;
    try {
      const reply = this.#reader.next();
      if (reply === undefined) {
        this.#socket?.resume();
        return;
      }
      this.lastReply = reply;
      this.#awaiting.resolve(reply);
      this.#awaiting = undefined;
    } catch (error) {
      this.#fail(error);
    }
  }
}
