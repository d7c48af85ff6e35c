/**
 * What Node.js is for one simulated process: a clock, timers, chance, files and sockets that only the schedule moves. Once
 * it is killed, nothing of it runs again.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import dgram from 'node:dgram';
import type { EventEmitter } from 'node:events';
import net from 'node:net';
import zlib from 'node:zlib';
import type { Disk } from './disk.ts';
import { type Chance, chanceOf, type Schedule } from './schedule.ts';
import { LATENCY, RefusedSocket, ServerSocket, VirtualServer, VirtualUdp } from './sockets.ts';

export interface Surroundings {
  readonly schedule: Schedule;
  readonly disk: Disk;
  /** Answers a DNS query, perhaps later, perhaps more than once, perhaps never. */
  dns(query: Buffer, answer: (reply: Uint8Array) => void): void;
  /** Called with what a process would have died of. */
  crashed(machine: Machine, error: unknown): void;
}

const FIRST_PORT = 40_000;
/** What is repeated more often than this keeps house; without work for it, it runs as often as `HOUSEKEEPING`, in milliseconds. */
const BUSY = 10_000;
const HOUSEKEEPING = 300_000;
const QUICKLY = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
const present = new AsyncLocalStorage<Machine>();

/** The process whose code is running. Packages are shared by all processes, and ask this. */
export function presentMachine(): Machine {
  const machine = present.getStore();
  if (machine === undefined) throw new Error('code of the service runs outside of a process');
  return machine;
}

interface Timer {
  readonly repeat: number | undefined;
  readonly run: () => void;
  cancel: () => void;
  ref(): Timer;
  unref(): Timer;
  hasRef(): boolean;
  refresh(): Timer;
  close(): void;
  [Symbol.toPrimitive](): number;
}

export class Machine {
  readonly name: string;
  isAlive = true;
  /** By how many milliseconds its clock is ahead of the world. */
  skew: number;
  readonly output: string[] = [];
  readonly servers = new Map<number, EventEmitter>();
  readonly env: Record<string, string | undefined>;
  readonly globals: Readonly<Record<string, unknown>>;
  readonly #world: Surroundings;
  readonly #started: number;
  readonly #chance: Chance;
  readonly #modules: ReadonlyMap<string, unknown>;
  readonly #onKill = new Set<() => void>();
  #ports = FIRST_PORT;

  constructor(name: string, world: Surroundings, given: { env: Record<string, string>; skew: number }) {
    this.name = name;
    this.#world = world;
    this.env = { ...given.env };
    this.skew = given.skew;
    this.#started = world.schedule.time;
    this.#chance = chanceOf(Math.floor(world.schedule.chance() * 2 ** 32));
    this.globals = this.#makeGlobals();
    this.#modules = this.#makeModules();
  }

  now = (): number => this.#world.schedule.time + this.skew;

  /** Runs code as that of this process. */
  run<T>(work: () => T): T {
    return present.run(this, work);
  }

  /** All that it waits for never comes; its connections break. */
  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#world.schedule.note(`${this.name} killed`);
    for (const tell of this.#onKill) tell();
  }

  /** Calls `tell` when the process is killed, until the returned function is called. */
  onKill(tell: () => void): () => void {
    this.#onKill.add(tell);
    return () => this.#onKill.delete(tell);
  }

  /** A module of Node, as this process sees it; undefined if it is as any other. */
  module = (name: string): unknown => this.#modules.get(name.replace(/^node:/, ''));

  /** Connects a client to a server of this process. Returns its end, or undefined if nobody listens. */
  connect(port: number, address: string, receive: (chunk: Buffer) => void, ended: () => void) {
    const server = this.servers.get(port);
    if (!this.isAlive || server === undefined) return undefined;
    const socket = new ServerSocket(this.#world.schedule, address, receive, ended);
    const forget = this.onKill(ended);
    socket.once('close', forget);
    this.run(() => server.emit('connection', socket));
    return {
      write: (text: string | Buffer) => this.#later(LATENCY, () => socket.push(text)),
      end: () => this.#later(LATENCY, () => socket.push(null)),
    };
  }

  #later(milliseconds: number, run: () => void): () => void {
    const inContext = AsyncLocalStorage.snapshot();
    return this.#world.schedule.after(milliseconds, () => {
      if (!this.isAlive) return;
      try {
        inContext(() => present.run(this, run));
      } catch (error) {
        this.#world.crashed(this, error);
      }
    });
  }

  #timer(
    run: (...given: unknown[]) => void,
    milliseconds: number,
    given: unknown[],
    repeats: boolean,
  ): Timer {
    const wait = Number.isFinite(milliseconds) && milliseconds >= 1 ? milliseconds : 1;
    let cancel = () => {};
    const start = () => {
      cancel();
      cancel = this.#later(wait, () => {
        if (repeats) start();
        run(...given);
      });
    };
    start();
    const timer: Timer = {
      ...{ repeat: repeats ? wait : undefined, run: () => run(...given), cancel: () => cancel() },
      ...{ ref: () => timer, unref: () => timer, hasRef: () => true, close: () => cancel() },
      refresh() {
        start();
        return timer;
      },
      [Symbol.toPrimitive]: () => 1,
    };
    return timer;
  }

  #makeGlobals(): Readonly<Record<string, unknown>> {
    const started = this.#started;
    const time = () => this.#world.schedule.time;
    const setTimeout = (run: () => void, milliseconds = 1, ...given: unknown[]) =>
      this.#timer(run, milliseconds, given, false);
    const setInterval = (run: () => void, milliseconds = 1, ...given: unknown[]) =>
      this.#timer(run, milliseconds < BUSY ? HOUSEKEEPING : milliseconds, given, true);
    const setImmediate = (run: (...given: unknown[]) => void, ...given: unknown[]) => ({
      cancel: this.#later(0, () => run(...given)),
    });
    const clear = (timer: { cancel?: () => void } | undefined | null) => timer?.cancel?.();
    const timeout = (milliseconds: number) => {
      const controller = new AbortController();
      setTimeout(
        () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
        milliseconds,
      );
      return controller.signal;
    };
    const perf = {
      now: () => time() - started,
      // Work takes no time here, so that nothing takes too long.
      eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
    };
    return {
      ...{ setTimeout, setInterval, setImmediate },
      ...{ clearTimeout: clear, clearInterval: clear, clearImmediate: clear },
      performance: perf,
      random: this.#chance,
      AbortSignal: { timeout, any: anyOf },
      crypto: this.#makeCrypto(),
      process: this.#makeProcess(),
    };
  }

  #makeProcess(): unknown {
    const { env, output } = this;
    const own: Record<string, unknown> = {
      env,
      stdout: { write: (text: string) => this.isAlive && output.push(text) },
      getBuiltinModule: (name: string) => this.module(name) ?? process.getBuiltinModule(name),
      on() {},
      once() {},
      off() {},
      emitWarning() {},
      hrtime: Object.assign(() => [Math.floor(this.now() / 1000), 0], {
        bigint: () => BigInt(Math.round(this.now() * 1e6)),
      }),
    };
    return new Proxy(process, {
      get: (target, key) => (key in own ? own[String(key)] : Reflect.get(target, key, target)),
    });
  }

  #bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += 1) bytes[at] = Math.floor(this.#chance() * 256);
    return bytes;
  }

  #makeCrypto() {
    const bytes = (size: number) => this.#bytes(size);
    const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
      bytes(view.byteLength).copy(Buffer.from(view.buffer, view.byteOffset, view.byteLength));
      return view;
    };
    const randomUUID = (): string => {
      const id = bytes(16);
      id[6] = ((id[6] ?? 0) & 0x0f) | 0x40;
      id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    };
    const chance = this.#chance;
    return {
      ...crypto,
      randomUUID,
      randomBytes: (size: number, done?: (error: null, made: Buffer) => void) => {
        const made = bytes(size);
        if (done !== undefined) this.#later(0, () => done(null, made));
        return made;
      },
      randomFillSync: fill,
      getRandomValues: fill,
      randomInt: (from: number, to?: number) =>
        to === undefined ? Math.floor(chance() * from) : from + Math.floor(chance() * (to - from)),
      subtle: crypto.subtle,
    };
  }

  #makeModules(): ReadonlyMap<string, unknown> {
    const { setTimeout, setInterval, setImmediate, clearTimeout } = this.globals as {
      setTimeout: (run: () => void, milliseconds?: number) => Timer;
      setInterval: unknown;
      setImmediate: (run: () => void) => unknown;
      clearTimeout: (timer: Timer) => void;
    };
    const sleep = (milliseconds = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const aborted = () => reject(new DOMException('The operation was aborted', 'AbortError'));
        if (signal?.aborted) return aborted();
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', end);
          resolve(value);
        }, milliseconds);
        const end = () => {
          clearTimeout(timer);
          aborted();
        };
        signal?.addEventListener('abort', end, { once: true });
      });
    const nextTurn = (value?: unknown) => new Promise((resolve) => setImmediate(() => resolve(value)));
    const server = () => new VirtualServer(this.servers, () => this.#ports++);
    const world = this.#world;
    return new Map<string, unknown>([
      ['timers', { ...this.globals, setTimeout, setInterval, setImmediate }],
      ['timers/promises', { setTimeout: sleep, setImmediate: nextTurn }],
      ['crypto', this.globals.crypto],
      ['perf_hooks', { performance: this.globals.performance }],
      ['process', this.globals.process],
      ['fs', { ...process.getBuiltinModule('fs'), ...world.disk.files() }],
      // The best compression takes a tenth of the time of a world.
      ['zlib', { brotliCompressSync: (data: Uint8Array) => zlib.brotliCompressSync(data, QUICKLY) }],
      ['sqlite', { DatabaseSync: world.disk.databases() }],
      [
        'fs/promises',
        { readFile: () => Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' })) },
      ],
      ['http', { ...process.getBuiltinModule('http'), createServer: server }],
      [
        'net',
        {
          ...net,
          createServer: (_options: unknown, listener: unknown) => {
            const made = server();
            const connected = typeof _options === 'function' ? _options : listener;
            if (typeof connected === 'function') made.on('connection', connected as () => void);
            return made;
          },
          connect: () => new RefusedSocket(),
        },
      ],
      [
        'dgram',
        {
          ...dgram,
          createSocket: () =>
            new VirtualUdp(
              (run) => this.#later(0, run),
              (query, answer) => {
                world.dns(query, (reply) => this.#later(0, () => answer(reply)));
              },
            ),
        },
      ],
    ]);
  }
}

/** `AbortSignal.any`; that of Node keeps signals that nothing aborts, and so all of a killed process. */
function anyOf(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}
