/** The servers and sockets of a simulated process, which only the schedule moves. */
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import type { Schedule } from './schedule.ts';

/** Of one way between two hosts. */
export const LATENCY = 2;

export class VirtualServer extends EventEmitter {
  listening = false;
  keepAliveTimeout = 0;
  readonly #servers: Map<number, EventEmitter>;
  readonly #newPort: () => number;
  #port = 0;

  /** @param servers Those of the process, by their ports. */
  constructor(servers: Map<number, EventEmitter>, newPort: () => number) {
    super();
    this.#servers = servers;
    this.#newPort = newPort;
  }

  listen(...given: unknown[]): this {
    this.listening = true;
    this.#port = this.#newPort();
    this.#servers.set(this.#port, this);
    const done = given.findLast((one) => typeof one === 'function');
    process.nextTick(() => {
      this.emit('listening');
      (done as (() => void) | undefined)?.();
    });
    return this;
  }

  address() {
    return { address: '127.0.0.1', family: 'IPv4', port: this.#port };
  }

  close(done?: () => void): this {
    this.listening = false;
    this.#servers.delete(this.#port);
    process.nextTick(() => {
      this.emit('close');
      done?.();
    });
    return this;
  }
}

/** The server's end of a connection. */
export class ServerSocket extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort = 25_000;
  readonly localAddress = '127.0.0.1';
  readonly localPort = 25;
  readonly readyState = 'open';
  readonly #schedule: Schedule;
  readonly #receive: (chunk: Buffer) => void;
  readonly #ended: () => void;

  constructor(schedule: Schedule, address: string, receive: (chunk: Buffer) => void, ended: () => void) {
    super();
    this.#schedule = schedule;
    this.remoteAddress = address;
    this.#receive = receive;
    this.#ended = ended;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#schedule.after(LATENCY, () => this.#receive(Buffer.from(chunk)));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#schedule.after(LATENCY, this.#ended);
    done(error);
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }

  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }
}

/** A connection that no host takes. */
export class RefusedSocket extends Duplex {
  constructor() {
    super();
    process.nextTick(() => this.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })));
  }

  override _read(): void {}

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }
}

export class VirtualUdp extends EventEmitter {
  readonly #later: (run: () => void) => void;
  readonly #ask: (query: Buffer, answer: (reply: Uint8Array) => void) => void;
  #isOpen = true;

  constructor(
    later: (run: () => void) => void,
    ask: (query: Buffer, answer: (reply: Uint8Array) => void) => void,
  ) {
    super();
    this.#later = later;
    this.#ask = ask;
  }

  connect(_port: number, _address: string, done: () => void): void {
    this.#later(done);
  }

  send(query: Uint8Array): void {
    if (!this.#isOpen) return;
    this.#ask(Buffer.from(query), (reply) => {
      if (this.#isOpen) this.emit('message', Buffer.from(reply));
    });
  }

  close(): void {
    this.#isOpen = false;
  }

  unref(): this {
    return this;
  }
}
