/** A Lambda function with one sandbox per concurrent call. Idle sandboxes stay warm and are reused. */
import { type LocalFunction, MAX_PAYLOAD, PayloadTooLarge } from '../../../lib/local/host/invoke.ts';
import { Sandbox, type SandboxOptions } from './sandbox.ts';

/** Concurrent calls of one function; further calls wait, because starting a sandbox takes longer than most calls. */
const MAX_SANDBOXES = 5;

export class SandboxedFunction implements LocalFunction {
  readonly name: string;
  readonly #options: () => SandboxOptions;
  readonly #all = new Set<Sandbox>();
  readonly #idle: Sandbox[] = [];
  readonly #queued: (() => void)[] = [];

  /** `options` is called each time a sandbox starts. */
  constructor(name: string, options: () => SandboxOptions) {
    this.name = name;
    this.#options = options;
  }

  async invoke(event: unknown): Promise<unknown> {
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > MAX_PAYLOAD) throw new PayloadTooLarge('event', this.name);
    const answer = await this.#run(payload);
    if (Buffer.byteLength(answer) > MAX_PAYLOAD) throw new PayloadTooLarge('response', this.name);
    return JSON.parse(answer);
  }

  /** Stops all sandboxes. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((sandbox) => sandbox.stop()));
  }

  async #run(payload: string): Promise<string> {
    const sandbox = await this.#take();
    try {
      return await sandbox.run(payload);
    } finally {
      if (sandbox.alive) this.#idle.push(sandbox);
      else this.#all.delete(sandbox);
      this.#queued.shift()?.();
    }
  }

  async #take(): Promise<Sandbox> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle?.alive) return idle;
      if (idle !== undefined) this.#all.delete(idle);
      else if (this.#all.size < MAX_SANDBOXES) return this.#start();
      else await new Promise<void>((resolve) => this.#queued.push(resolve));
    }
  }

  #start(): Sandbox {
    const started = new Sandbox(this.#options());
    this.#all.add(started);
    return started;
  }
}
