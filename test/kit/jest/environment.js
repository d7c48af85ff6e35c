/**
 * Tests run in the process of the worker as it is, and Node loads them as it loads the product: it strips the types, and
 * modules stay loaded for the next file. A context for each file, which jest has otherwise, would load all of them again.
 */
import { createContext } from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

export default class {
  #globals;
  /** What to stop after the file, each describe block around the running test, and the test. */
  #stops = [[]];
  #env = { ...process.env };
  #exit = process.exit;

  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.#globals = projectConfig.globals;
  }

  /** Jest asks for one, and the runtime beside this file does not use it. */
  getVmContext() {
    return createContext();
  }

  async setup() {
    Object.assign(globalThis, this.#globals, { atEnd: (stop) => this.#stops.at(-1).push(stop) });
  }

  async handleTestEvent({ name }) {
    if (name === 'run_describe_start' || name === 'test_started') this.#stops.push([]);
    if (name === 'run_describe_finish' || name === 'test_done') await this.#stopInnermost();
  }

  async #stopInnermost() {
    for (const stop of this.#stops.pop().toReversed()) await stop();
  }

  /** What a file starts and sets is not there for the next one, even if it failed to load or ran no test. */
  async teardown() {
    while (this.#stops.length > 0) await this.#stopInnermost();
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    // Jest replaces it for each file.
    process.exit = this.#exit;
    for (const name of [...Object.keys(this.#globals), 'atEnd']) delete globalThis[name];
  }
}
