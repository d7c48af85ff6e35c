/** One execution environment of a Lambda function: a thread with its own environment variables and memory limit. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { inTime } from '../../../lib/local/host/invoke.ts';
import type { Call, Outcome, ThreadData } from './sandbox-thread.ts';

export interface SandboxOptions {
  readonly name: string;
  readonly file: string;
  /** The name of the export that is the handler. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** All environment variables: the thread inherits none from this process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The code of a thread, without types: loading Node's stripper of types takes longer than all the rest of a thread. */
const [thread] = buildSync({
  entryPoints: [fileURLToPath(new URL('./sandbox-thread.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
}).outputFiles;
const THREAD = new URL(
  `data:text/javascript;base64,${Buffer.from(thread?.contents ?? '').toString('base64')}`,
);

export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #worker: Worker;
  readonly #loaded: Promise<Outcome>;
  #alive = true;
  #waiting: PromiseWithResolvers<Outcome> | undefined;

  /** Starts the thread, which loads the handler. */
  constructor(options: SandboxOptions) {
    this.#options = options;
    const { file, handler, environment, memoryMegabytes } = options;
    const { NODE_COMPILE_CACHE: compileCache } = process.env;
    this.#worker = new Worker(THREAD, {
      workerData: { file: pathToFileURL(file).href, handler, compileCache } satisfies ThreadData,
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

  /** False after a timeout, an exit or exhausted memory. A sandbox that is not alive accepts no calls. */
  get alive(): boolean {
    return this.#alive;
  }

  /**
   * Takes an event and returns the result, both as JSON. Calls must not overlap. The time to load the handler does not
   * count towards the timeout.
   * @throws TimedOut, and whatever the handler throws.
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
