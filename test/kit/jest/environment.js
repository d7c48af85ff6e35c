/**
 * Tests run in the process of the worker as it is, and Node loads them as it loads the product: it strips the types, and
 * modules stay loaded for the next file. A context for each file, which jest has otherwise, would load all of them again.
 */
import { createContext } from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

export default class {
  #globals;
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
    Object.assign(globalThis, this.#globals);
  }

  /** What a file sets is not there for the next one. */
  async teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    // Jest replaces it for each file.
    process.exit = this.#exit;
    for (const name of Object.keys(this.#globals)) delete globalThis[name];
  }
}
