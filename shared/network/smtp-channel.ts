/** The client side of an SMTP session: one command, one reply, on a plain connection and then inside TLS. */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ReplyReader, type SmtpReply } from './smtp-reply.ts';

/** How long to wait for the reply to QUIT before closing the connection. */
const QUIT_MILLISECONDS = 1000;

/** The server closed the connection. */
export class ConnectionClosed extends Error {}

/**
 * An SMTP session on one connection. Its promises reject with ConnectionClosed, MalformedReply, the socket's error or
 * the signal's reason; after the first rejection the session is over.
 */
export class SmtpChannel {
  /** The last reply received. */
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

  /** Sends a command and waits for its reply. Without a command, waits for what the server sends first. */
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
   * Continues inside TLS, which `handshake` sets up on the plain connection. Ends the session if the server sent data
   * in the clear after its last reply, because that data could be mistaken for a reply inside TLS (RFC 3207 section 6).
   */
  async upgrade(handshake: (socket: Socket) => Promise<TLSSocket>): Promise<TLSSocket> {
    const plain = this.#socket;
    try {
      if (plain === undefined || this.#reader.hasMore) {
        throw new Error('text in the clear behind the reply to STARTTLS');
      }
      this.#detach(plain);
      // The TLS socket owns the plain socket now, which must not be destroyed separately (see `handshake`).
      this.#socket = undefined;
      const secure = await handshake(plain);
      this.#attach(secure);
      return secure;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Ends the session, with QUIT if it is still open. Callers need not wait for it. */
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

  /** Keep the error listener: an error event without one would end the process. */
  #detach(socket: Socket): void {
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reader.push(chunk);
    // Pause reading between commands, so that a server cannot fill the memory.
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
