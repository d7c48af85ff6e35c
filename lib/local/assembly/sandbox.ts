/** One execution environment of a Lambda: a thread with an environment and a limit of memory of its own. */
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { inTime } from '../invoke.ts';
import type { Call, Outcome, ThreadData } from './sandbox-thread.ts';

export interface SandboxOptions {
  readonly name: string;
  readonly file: string;
  /** The name of what the file exports. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** The whole of it: nothing comes from this process. */
  readonly environment: Readonly<Record<string, string>>;
}

export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #worker: Worker;
  readonly #loaded: Promise<Outcome>;
  #alive = true;
  #waiting: PromiseWithResolvers<Outcome> | undefined;

  /** Starts to load the handler. */
  constructor(options: SandboxOptions) {
    this.#options = options;
    const { file, handler, environment, memoryMegabytes } = options;
    this.#worker = new Worker(new URL('./sandbox-thread.ts', import.meta.url), {
      workerData: { file: pathToFileURL(file).href, handler } satisfies ThreadData,
      env: environment,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    });
    this.#worker.on('message', (outcome: Outcome) => this.#waiting?.resolve(outcome));
    this.#worker.on('error', (error) => {
      this.#alive = false;
      this.#waiting?.reject(error);
    });
    this.#worker.on('exit', (code) => {
      this.#alive = false;
      this.#waiting?.reject(new Error(`${options.name} ended with code ${code}`));
    });
    this.#loaded = this.#outcome();
  }

  /** False after it ran out of time or memory, or ended itself: then it takes no more calls. */
  get alive(): boolean {
    return this.#alive;
  }

  /**
   * The JSON of the answer to the JSON of an event; one at a time. Loading the handler does not count as its time.
   * @throws TimedOut, and whatever went wrong inside.
   */
  async run(event: string): Promise<string> {
    const { name, timeoutSeconds, memoryMegabytes } = this.#options;
    await this.#loaded;
    const endsAt = Date.now() + timeoutSeconds * 1000;
    const outcome = this.#outcome();
    this.#worker.postMessage({ event, functionName: name, memoryMegabytes, endsAt } satisfies Call);
    const { answer, failure } = await inTime(name, timeoutSeconds, outcome).catch(async (error) => {
      await this.stop();
      throw error;
    });
    if (answer === undefined) throw new Error(failure);
    return answer;
  }

  async stop(): Promise<void> {
    this.#alive = false;
    await this.#worker.terminate();
  }

  async #outcome(): Promise<Outcome> {
    this.#waiting = Promise.withResolvers();
    try {
      return await this.#waiting.promise;
    } finally {
      this.#waiting = undefined;
    }
  }
}
