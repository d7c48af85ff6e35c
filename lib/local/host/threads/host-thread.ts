/**
 * A thread that runs functions beside the host, so that text which takes long to read stops neither HTTP nor SMTP. It is
 * ended when it doesn't respond, and the next invocation starts another one.
 */
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { ObserveLine } from '../../../../shared/runtime/logging/metric.ts';
import type { LoopbackServer } from '../../stores/loopback-server.ts';
import { TimedOut } from '../invoke.ts';
import type { Invocation } from '../lambda-context.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

/** The thread was ended with everything that it was doing, because it computed without a pause. */
export class Unresponsive extends TimedOut {}

/** The thread ended with everything that it was doing, for example because its memory was used up. */
export class ThreadEnded extends Error {}

export interface HostThreadOptions {
  readonly name: string;
  /** The folder of the handlers. */
  readonly folder: URL;
  readonly servers: readonly Pick<LoopbackServer, 'endpoint' | 'send'>[];
  /** Of JavaScript objects. A thread that needs more ends, and the process goes on. */
  readonly memoryMegabytes: number;
  /** Gets the values of the lines that the thread logs. */
  readonly observe?: ObserveLine;
  /** How long the thread may compute without a pause. The largest mail that is read takes half of it. */
  readonly unresponsiveSeconds?: number;
}

/** New objects of a thread. Three times as much, which V8 uses by default, makes nothing faster. */
const NEW_OBJECTS_MEGABYTES = 24;

const UNRESPONSIVE_SECONDS = 20;
const PING_MILLISECONDS = 1000;

export class HostThread {
  readonly #options: HostThreadOptions;
  readonly #invocations = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #pings: NodeJS.Timeout | undefined;
  #unanswered = 0;
  #pinged = 0;
  #delay = 0;
  #sent = 0;

  constructor(options: HostThreadOptions) {
    this.#options = options;
  }

  /**
   * Runs a handler with this event, which is JSON. Nobody waits for the result any more when `signal` aborts.
   * @throws Unresponsive if the thread is ended; an Error with the stack of what the handler threw.
   */
  async invoke(file: string, event: string, invocation: Invocation, signal?: AbortSignal): Promise<unknown> {
    const worker = this.#start();
    this.#sent += 1;
    const id = this.#sent;
    const waiting = Promise.withResolvers<unknown>();
    this.#invocations.set(id, waiting);
    this.#watch();
    worker.postMessage({ kind: 'invoke', id, file, event, invocation } satisfies ToThread);
    const abandon = () => worker.postMessage({ kind: 'abandon', id } satisfies ToThread);
    signal?.addEventListener('abort', abandon);
    try {
      return await waiting.promise;
    } finally {
      signal?.removeEventListener('abort', abandon);
      this.#invocations.delete(id);
      if (this.#invocations.size === 0) this.#rest();
    }
  }

  /** By how much its event loop, or this one, is late, in milliseconds; 0 while it has nothing to do. */
  get delay(): number {
    if (this.#pings === undefined) return 0;
    return this.#unanswered > 0 ? Math.max(this.#delay, performance.now() - this.#pinged) : this.#delay;
  }

  async stop(): Promise<void> {
    await this.#end(new Error('the service stops'));
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { name, folder, servers, memoryMegabytes } = this.#options;
    const workerData: ThreadData = {
      folder: folder.href,
      endpoints: servers.map(({ endpoint }) => endpoint),
    };
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name,
      workerData,
      env: SHARE_ENV,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMegabytes,
        maxYoungGenerationSizeMb: NEW_OBJECTS_MEGABYTES,
      },
    });
    worker.on('message', (message: FromThread) => this.#take(worker, message));
    worker.on('error', (error) =>
      this.#ended(worker, new ThreadEnded(`${name}: ${error.message}`, { cause: error })),
    );
    worker.on('exit', (code) => this.#ended(worker, new ThreadEnded(`${name} ended with code ${code}`)));
    this.#worker = worker;
    return worker;
  }

  #take(worker: Worker, message: FromThread): void {
    if (this.#unanswered > 0) this.#delay = performance.now() - this.#pinged;
    this.#unanswered = 0;
    if (message.kind === 'request') void this.#forward(worker, message);
    else if (message.kind === 'line') this.#options.observe?.(message.name, message.values);
    else if (message.kind === 'result') this.#invocations.get(message.id)?.resolve(message.result);
    else if (message.kind === 'failure')
      this.#invocations.get(message.id)?.reject(new Error(message.failure));
  }

  async #forward(worker: Worker, { id, endpoint, request }: Extract<FromThread, { kind: 'request' }>) {
    const post = (message: ToThread): void => worker.postMessage(message);
    try {
      const server = this.#options.servers.find((one) => one.endpoint === endpoint);
      const body = request.body && Buffer.from(request.body);
      const answer = await server?.send({ ...request, body });
      if (answer === undefined) throw new Error(`no embedded endpoint: ${endpoint}`);
      post({ kind: 'answer', id, answer });
    } catch (error) {
      post({ kind: 'failure', id, failure: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Pings the thread while it works. Counts pings and not time, because this thread can be late, too. */
  #watch(): void {
    if (this.#pings !== undefined) return;
    const { unresponsiveSeconds = UNRESPONSIVE_SECONDS } = this.#options;
    this.#unanswered = 0;
    this.#pings = setInterval(() => {
      if (this.#unanswered * PING_MILLISECONDS >= unresponsiveSeconds * 1000) {
        const { name } = this.#options;
        void this.#end(
          new Unresponsive(`the thread ${name} computed for more than ${unresponsiveSeconds} s`),
        );
        return;
      }
      if (this.#unanswered === 0) this.#pinged = performance.now();
      this.#unanswered += 1;
      this.#worker?.postMessage({ kind: 'ping' } satisfies ToThread);
    }, PING_MILLISECONDS);
  }

  #rest(): void {
    clearInterval(this.#pings);
    this.#pings = undefined;
  }

  async #end(reason: Error): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#ended(worker, reason);
    await worker.terminate();
  }

  #ended(worker: Worker, reason: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#rest();
    for (const waiting of this.#invocations.values()) waiting.reject(reason);
    this.#invocations.clear();
  }
}
