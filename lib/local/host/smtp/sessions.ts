/**
 * The sessions of the SMTP listener: how many are open, how long they last, and which one closes when there are too
 * many.
 */
import type { Socket } from 'node:net';
import { callerOf, SITE_BITS } from '../../../../shared/network/caller.ts';
import { isLoopback } from '../../stores/loopback.ts';
import { FairShare, type Holder } from './fair-share.ts';
import { type MessageMemory, UnfinishedMessage } from './unfinished-message.ts';

const MEGABYTE = 1024 * 1024;

export interface SessionLimits {
  /** From the greeting to the end, even if the client is active. This also limits the time for a message. */
  readonly milliseconds: number;
  /** From the greeting, or the reply to a message, to the next MAIL command. */
  readonly waitMilliseconds: number;
  /** Without an octet from the client, also during DATA. */
  readonly idleMilliseconds: number;
  /** The minimum rate during DATA: `octets` in each period of `milliseconds`. */
  readonly pace: { readonly milliseconds: number; readonly octets: number };
  readonly commands: number;
  /** Concurrent sessions of one client, unless it is on this machine. */
  readonly perClient: number;
  /** Sessions without a mail transaction, of all clients. */
  readonly waiting: number;
  /** Mail transactions of all clients. */
  readonly transactions: number;
  /** Octets of memory that are reserved for each message, in whole blocks of 64 KB. */
  readonly smallMessage: number;
  /** Octets of memory for all messages that are not stored yet. Large messages share what is not reserved. */
  readonly memory: number;
}

/**
 * Report senders are programs that have the complete message ready and retry after a 421 (RFC 5321 section 4.5.4.1). So
 * these timeouts are shorter than the five minutes between commands of section 4.5.3.2.7 and the three minutes for a
 * block of data of section 4.5.3.2.5. 64 KB a minute is the speed of a slow modem.
 */
export const sessionLimits: SessionLimits = {
  milliseconds: 600_000,
  waitMilliseconds: 60_000,
  idleMilliseconds: 60_000,
  pace: { milliseconds: 60_000, octets: 64 * 1024 },
  commands: 1000,
  perClient: 5,
  waiting: 100,
  transactions: 64,
  smallMessage: MEGABYTE,
  memory: 160 * MEGABYTE,
};

/** A client that receives this reply retries later (RFC 5321 section 3.8). */
const CLOSING = 421;

/** One connection to the listener, from its greeting to its end. */
export class Session implements Holder {
  readonly client: string;
  /** The message that is being received or stored. */
  message: UnfinishedMessage | undefined;
  commands = 0;
  #hasEnded = false;
  #wait: NodeJS.Timeout | undefined;
  readonly #life: NodeJS.Timeout;
  #socket: Socket;
  readonly #onEnd: () => void;

  constructor(client: string, socket: Socket, milliseconds: number, onEnd: () => void) {
    this.client = client;
    this.#socket = socket;
    this.#onEnd = onEnd;
    this.#life = setTimeout(() => this.end('4.4.2 The session takes too long'), milliseconds);
    socket.once('close', () => this.#end());
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** A complete message is stored even if the connection ends. */
  get isPinned(): boolean {
    return this.message?.isPinned === true;
  }

  giveUp(): void {
    this.end('4.3.2 Too many sessions, try again later');
  }

  /** Replies 421 with this reason and closes the connection. An incomplete message is discarded. */
  end(reason: string): void {
    if (this.#hasEnded) return;
    this.#end();
    refuse(this.#socket, reason);
  }

  /** Continues on this socket after STARTTLS. */
  secure(socket: Socket): void {
    this.#socket = socket;
  }

  /** The connection is closed; after STARTTLS, its first socket does not say so. */
  closed(): void {
    this.#end();
  }

  /** Ends the session unless `stopWaiting` is called within this time. */
  wait(milliseconds: number): void {
    this.#wait = setTimeout(() => this.end('4.4.2 No mail for too long'), milliseconds);
  }

  stopWaiting(): void {
    clearTimeout(this.#wait);
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#life);
    this.stopWaiting();
    this.message?.giveUp();
    this.#onEnd();
  }
}

/**
 * All sessions of a listener. Each session is in one of two groups: without a mail transaction, or with one. Each group
 * is a fair share, so a client can lose its only session only if there are more clients than places in the group, and
 * idle connections never end a transaction.
 */
export class Sessions {
  readonly #limits: SessionLimits;
  readonly #isLocal: (address: string) => boolean;
  readonly #open = new Map<string, Session>();
  readonly #waiting: FairShare;
  readonly #transactions: FairShare;
  readonly #memory: MessageMemory;

  /** `isLocal` returns whether a client address is on this machine. */
  constructor(limits: SessionLimits, isLocal: (address: string) => boolean = isLoopback) {
    const { waiting, transactions, smallMessage, memory } = limits;
    this.#limits = limits;
    this.#isLocal = isLocal;
    this.#waiting = new FairShare(waiting);
    this.#transactions = new FairShare(transactions);
    this.#memory = { smallMessage, shared: new FairShare(memory - transactions * smallMessage) };
  }

  /** Starts a session. Returns false and closes the connection if its client has too many sessions. */
  open(id: string, socket: Socket): boolean {
    const { remoteAddress = '' } = socket;
    const client = callerOf(remoteAddress, SITE_BITS);
    const others = [...this.#open.values()].filter((other) => other.client === client).length;
    if (others >= this.#limits.perClient && !this.#isLocal(remoteAddress)) {
      refuse(socket, '4.7.0 Too many sessions at once');
      return false;
    }
    const session: Session = new Session(client, socket, this.#limits.milliseconds, () => {
      this.#open.delete(id);
      this.#waiting.release(session);
      if (!session.isPinned) this.#transactions.release(session);
    });
    this.#open.set(id, session);
    this.#await(session);
    return true;
  }

  /** Returns the session, or undefined if it has ended. */
  get(id: string): Session | undefined {
    return this.#open.get(id);
  }

  /** Counts a client's command, and ends the session if there are too many. */
  countCommand(session: Session): void {
    session.commands += 1;
    if (session.commands > this.#limits.commands) session.end('4.7.0 Too many commands in one session');
  }

  /** Starts a mail transaction (RFC 5321 section 3.3). Returns false if there is no place for it. */
  startTransaction(session: Session): boolean {
    if (this.#transactions.has(session)) return true;
    if (!this.#transactions.take(session, 1)) return false;
    this.#waiting.release(session);
    session.stopWaiting();
    return true;
  }

  /** Starts to collect the content of the session's message. */
  startMessage(session: Session): UnfinishedMessage {
    session.message = new UnfinishedMessage(session.client, this.#memory);
    return session.message;
  }

  /** Ends a transaction, whether its message was stored or not. */
  endTransaction(session: Session): void {
    session.message?.end();
    session.message = undefined;
    this.#transactions.release(session);
    if (!session.hasEnded) this.#await(session);
  }

  #await(session: Session): void {
    this.#waiting.take(session, 1);
    session.wait(this.#limits.waitMilliseconds);
  }
}

/**
 * Writes a 421 and closes the connection. If the client does not accept the reply immediately, it is discarded, so that
 * the socket does not stay open.
 */
function refuse(socket: Socket, reason: string): void {
  socket.on('error', () => undefined);
  socket.write(`${CLOSING} ${reason}\r\n`);
  if (socket.writableLength > 0) socket.destroy();
  else socket.destroySoon();
}
