/** A Lambda as its callers see it: an environment for each call under way, each used again while it is warm. */
import { type LocalFunction, PayloadTooLarge } from '../invoke.ts';
import { Sandbox, type SandboxOptions } from './sandbox.ts';

/** Lambda, "Quotas": octets of an event and of an answer, as JSON. */
const MAX_PAYLOAD = 6 * 1024 * 1024;
/** As many of a function as a new account runs at once of all; further calls wait. */
const MOST_SANDBOXES = 10;

export class SandboxedFunction implements LocalFunction {
  readonly name: string;
  readonly #options: () => SandboxOptions;
  readonly #all = new Set<Sandbox>();
  readonly #idle: Sandbox[] = [];
  readonly #queued: (() => void)[] = [];

  /** `options` is asked at each start of a sandbox. */
  constructor(name: string, options: () => SandboxOptions) {
    this.name = name;
    this.#options = options;
  }

  async invoke(event: unknown): Promise<unknown> {
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > MAX_PAYLOAD) throw new PayloadTooLarge('event', this.name);
    const answer = await this.#run(payload);
    if (Buffer.byteLength(answer) > MAX_PAYLOAD) throw new PayloadTooLarge('answer', this.name);
    return JSON.parse(answer);
  }

  /** Ends all sandboxes. */
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
      else if (this.#all.size < MOST_SANDBOXES) return this.#start();
      else await new Promise<void>((resolve) => this.#queued.push(resolve));
    }
  }

  #start(): Sandbox {
    const started = new Sandbox(this.#options());
    this.#all.add(started);
    return started;
  }
}
