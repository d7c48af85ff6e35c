/** A simulated world: its disk, its internet, and the processes of the service, whose every call passes the scheduler. */
import type { StatementSync } from 'node:sqlite';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { WebPost } from '../../../shared/network/ports.ts';
import type { Mail } from '../../../shared/notify/mail.ts';
import { isWithin } from '../../../shared/protocol/domain-name.ts';
import { readName } from '../../../shared/protocol/wire-name.ts';
import { replyFrom } from '../../kit/dns-server.ts';
import { indexZone, type ZoneLiteral } from '../../kit/zone.ts';
import type { Evaluate } from './code.ts';
import { Disk } from './disk.ts';
import { Machine } from './machine.ts';
import type { ProcessPorts, Store } from './ports.ts';
import type { SimulatedProcess } from './process.ts';
import { Schedule } from './schedule.ts';
import { noTrouble, type Trouble } from './trouble.ts';

const environment = {
  ...{ REPORTS_DOMAIN: 'reports.service.example', TESTER_DOMAIN: 'tester.service.example' },
  ...{ HOST_URL: 'https://service.example', DNS_SERVERS: '192.0.2.53:53', PROBE_SMTP: 'off' },
  ...{ RDAP_BOOTSTRAP: 'off', ALERT_SENDER: 'alerts@service.example', LOG_LEVEL: 'debug', SMTP_PORT: '0' },
  ...{ BLOCKLISTS: '', CHECK_INTERVAL_SECONDS: '2700', SECRETS_KEY: 'alias/simulation' },
};

type StoreRequest = Parameters<Store['send']>[0];

/** A new one each time: what waits for it is forgotten with it. */
const never = (): Promise<never> => new Promise(() => {});
/** RFC 1035 section 4.1.1. */
const HEADER_OCTETS = 12;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** A fault of the network: the SDK tries again. */
const networkFault = () => Object.assign(new Error('the connection was lost'), { name: 'TimeoutError' });

/** A process that runs, and what it can be asked to do; undefined until it has started. */
export interface Running {
  readonly machine: Machine;
  service: SimulatedProcess | undefined;
}

export interface Posted {
  readonly url: string;
  readonly body: string;
}

export class World {
  readonly schedule: Schedule;
  readonly disk = new Disk();
  readonly processes: Running[] = [];
  readonly posts: Posted[] = [];
  readonly mails: Mail[] = [];
  /** What the log of each process says. */
  readonly machines: Machine[] = [];
  readonly deadLetters: { readonly queue: string; readonly messageId: string }[] = [];
  readonly violations: string[] = [];
  trouble: Trouble = noTrouble;
  /** What a process's clock may be wrong by, in milliseconds. */
  skew = 0;
  /** Names whose servers never answer. */
  silent = '';
  readonly #evaluate: Evaluate;
  #names = indexZone({});
  #started = 0;
  #waitingIn: StatementSync | undefined;
  readonly #polls = new Set<{ queue: string; machine: Machine; wake: () => void }>();
  #cancelWake = () => {};

  constructor(seed: number, start: Date, evaluate: Evaluate) {
    this.schedule = new Schedule(seed, start);
    this.#evaluate = evaluate;
  }

  publish(names: ZoneLiteral): void {
    this.#names = indexZone(names);
  }

  chance = (share: number): boolean => this.schedule.chance() < share;

  below = (limit: number): number => Math.floor(this.schedule.chance() * limit);

  /** Starts a process on what is stored. What kills it lets another one start. */
  async boot(places: number): Promise<void> {
    this.#started += 1;
    const name = `process ${this.#started}`;
    const skew = this.skew === 0 ? 0 : this.below(2 * this.skew) - this.skew;
    const machine = new Machine(name, this, { env: environment, skew });
    this.machines.push(machine);
    const running: Running = { machine, service: undefined };
    this.processes.push(running);
    this.schedule.note(`${name} starts, its clock is off by ${skew} ms`);
    machine.onKill(() => {
      this.processes.splice(this.processes.indexOf(running), 1);
      this.schedule.after(1000 + this.below(30_000), () => void this.boot(places));
    });
    try {
      const code = this.#evaluate(machine);
      running.service = await machine.run(() => code.start(this.#ports(machine, places)));
      this.#wake();
    } catch (error) {
      // A start that fails, for example on a full disk, is tried again, as by systemd.
      this.schedule.note(`${name} does not start: ${String(error)}`);
      machine.kill();
    }
  }

  /** A process that has started, after some time if there is none. */
  async anyProcess(): Promise<Running & { service: SimulatedProcess }> {
    for (;;) {
      const started = this.processes.flatMap(({ machine, service }) =>
        service === undefined ? [] : [{ machine, service }],
      );
      const one = started[this.below(started.length)];
      if (one !== undefined) return one;
      await this.schedule.pause(1000);
    }
  }

  /** The result of what a process does; undefined if it is killed meanwhile. */
  async unlessKilled<T>({ machine }: Running, work: () => Promise<T>): Promise<T | undefined> {
    let forget = () => {};
    const killed = new Promise<undefined>((resolve) => {
      forget = machine.onKill(() => resolve(undefined)) as () => void;
    });
    try {
      return await Promise.race([machine.run(work), killed]);
    } finally {
      forget();
    }
  }

  crashed(machine: Machine, error: unknown): void {
    this.violations.push(`${machine.name} would have died: ${(error as Error)?.stack ?? String(error)}`);
  }

  dns(query: Buffer, answer: (reply: Uint8Array) => void): void {
    const { name } = readName(query, HEADER_OCTETS);
    if (this.silent !== '' && isWithin(name, this.silent)) return;
    if (this.chance(this.trouble.dropped)) return;
    const reply = replyFrom(this.#names, query, { negativeTtl: 300 });
    if (reply === undefined) return;
    const times = this.chance(this.trouble.dropped) ? 2 : 1;
    for (let n = 0; n < times; n += 1) this.schedule.after(this.#delay(), () => answer(reply));
  }

  /** All items of the table. */
  items(): Readonly<Record<string, unknown>>[] {
    return this.#rows('/data/table.sqlite', 'SELECT body FROM items ORDER BY key').map(({ body }) =>
      unmarshall(JSON.parse(String(body))),
    );
  }

  /** The messages that wait in queues, or are being handled. */
  messages(): { queue: string; visible: number; body: string }[] {
    return this.#rows('/data/queues.sqlite', 'SELECT queue, visible, body FROM messages ORDER BY id').map(
      ({ queue, visible, body }) => ({ queue: String(queue), visible: Number(visible), body: String(body) }),
    );
  }

  /** The raw messages by their keys. */
  objects(): ReadonlyMap<string, string> {
    return new Map(
      this.#rows('/data/objects.sqlite', 'SELECT key, content FROM objects').map(({ key, content }) => [
        String(key),
        Buffer.from(content as Uint8Array).toString('latin1'),
      ]),
    );
  }

  #rows(path: string, sql: string): Record<string, unknown>[] {
    return this.disk.database(path).prepare(sql).all();
  }

  #delay(): number {
    const { delay, slow } = this.trouble;
    return this.chance(slow) ? 1000 + this.below(20_000) : 1 + this.below(delay);
  }

  #ports(machine: Machine, places: number): ProcessPorts {
    const world = this;
    return {
      places,
      store: ({ endpoint, send }) => ({
        endpoint,
        send: (request, signal) => world.#store(machine, request, signal, () => send(request, signal)),
      }),
      deadLetter(message) {
        world.deadLetters.push(message);
        world.schedule.note(`dead letter of ${message.queue}`);
      },
      post: (request) => world.#post(machine, request),
      sendMail: (mail) => world.#sendMail(machine, mail),
    };
  }

  /** A request to a store: it takes time, and anything can happen before it and after it. */
  async #store<T>(
    machine: Machine,
    request: StoreRequest,
    signal: AbortSignal | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    const what = describe(request);
    if (what.queue !== undefined && what.operation === 'ReceiveMessage') {
      await this.#arrival(machine, what.queue, signal);
      const messages = await this.#alive(machine, send());
      return messages;
    }
    await this.#moment(machine, `before ${what.operation}`);
    if (this.chance(this.trouble.failedBefore)) throw networkFault();
    const answer = await this.#alive(machine, send());
    this.schedule.note(`${machine.name} ${what.operation} ${what.queue ?? ''} ${sizeOf(request)}`);
    if (what.queue !== undefined) {
      this.#duplicate(what);
      this.#wake();
    }
    await this.#moment(machine, `after ${what.operation}`);
    if (this.chance(this.trouble.failedAfter)) throw networkFault();
    return answer;
  }

  /** Some time passes, in which the process may be killed. */
  async #moment(machine: Machine, when: string): Promise<void> {
    if (!machine.isAlive) return never();
    const delay = this.#delay();
    if (this.chance(this.trouble.killed)) {
      this.schedule.after(this.below(2 * delay), () => {
        if (machine.isAlive) this.schedule.note(`${machine.name} dies about ${when}`);
        machine.kill();
      });
    }
    await this.#alive(machine, this.schedule.pause(delay));
  }

  async #alive<T>(machine: Machine, work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      return machine.isAlive ? result : await never();
    } catch (error) {
      if (machine.isAlive) throw error;
      return never();
    }
  }

  /** At least once means that a message can come twice, also at the same time. */
  #duplicate({ operation, queue = '' }: { operation: string; queue?: string | undefined }): void {
    if (!operation.startsWith('SendMessage') || !this.chance(this.trouble.duplicated)) return;
    this.disk.database('/data/queues.sqlite').exec(
      `INSERT INTO messages (queue, messageId, body, sent, visible, messageGroup)
        SELECT queue, messageId, body, sent, visible, messageGroup FROM messages
        WHERE queue = '${queue}' ORDER BY id DESC LIMIT 1`,
    );
    this.schedule.note(`a message of ${queue} comes twice`);
  }

  /** Waits until a queue has a message, instead of asking every 20 seconds. */
  #arrival(machine: Machine, queue: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const poll = {
        queue,
        machine,
        wake: () => {
          this.#polls.delete(poll);
          signal?.removeEventListener('abort', ended);
          this.schedule.after(1 + this.below(this.trouble.delay), () => {
            if (machine.isAlive) resolve();
          });
        },
      };
      const ended = () => {
        this.#polls.delete(poll);
        reject(Object.assign(new Error('aborted'), { name: 'AbortError' }));
      };
      if (signal?.aborted) return ended();
      signal?.addEventListener('abort', ended, { once: true });
      this.#polls.add(poll);
      this.#wake();
    });
  }

  /** Wakes the polls of queues with visible messages, now or when the next message becomes visible. */
  #wake(): void {
    this.#cancelWake();
    const database = this.disk.database('/data/queues.sqlite');
    this.#waitingIn ??= database.prepare(
      'SELECT queue, min(visible) AS visible FROM messages GROUP BY queue',
    );
    const first = new Map(this.#waitingIn.all().map(({ queue, visible }) => [queue, Number(visible)]));
    let next = FOREVER;
    for (const poll of [...this.#polls]) {
      const visible = first.get(poll.queue);
      if (visible === undefined || !poll.machine.isAlive) continue;
      const wait = visible - poll.machine.now();
      if (wait <= 0) poll.wake();
      else next = Math.min(next, wait);
    }
    if (next < FOREVER) this.#cancelWake = this.schedule.after(next, () => this.#wake());
  }

  async #post(machine: Machine, request: WebPost) {
    await this.#moment(machine, 'before a webhook');
    const evidence = { url: request.url, milliseconds: 1 };
    const lost = { status: 'unavailable', reason: 'timeout', detail: 'lost', evidence } as const;
    if (this.chance(this.trouble.undelivered)) return lost;
    this.schedule.note(`webhook ${request.url} ${request.body.length}`);
    this.posts.push({ url: request.url, body: request.body });
    await this.#moment(machine, 'after a webhook');
    if (this.chance(this.trouble.undelivered)) return lost;
    const certificate = {
      validFrom: new Date(0),
      validTo: new Date(0),
      chain: [],
      trusted: true,
      matchesName: true,
    };
    return {
      status: 'found',
      httpStatus: 200,
      headers: {},
      body: Buffer.alloc(0),
      certificate,
      evidence,
    } as const;
  }

  async #sendMail(machine: Machine, mail: Mail): Promise<void> {
    await this.#moment(machine, 'before a mail');
    if (this.chance(this.trouble.undelivered)) throw networkFault();
    this.schedule.note(`mail to ${mail.to}`);
    this.mails.push(mail);
    await this.#moment(machine, 'after a mail');
    if (this.chance(this.trouble.undelivered)) throw networkFault();
  }

  close(): void {
    this.#cancelWake();
    this.disk.close();
  }
}

function describe({ method, headers, body }: StoreRequest): { operation: string; queue?: string } {
  const target = String(headers['x-amz-target'] ?? `S3.${method}`);
  const operation = target.slice(target.lastIndexOf('.') + 1);
  if (!target.startsWith('AmazonSQS.')) return { operation };
  const queueUrl = String(JSON.parse(String(body)).QueueUrl);
  return { operation, queue: queueUrl.slice(queueUrl.lastIndexOf('/') + 1) };
}

const sizeOf = ({ body }: StoreRequest): number => body?.length ?? 0;
