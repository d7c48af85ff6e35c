/**
 * Tests run in the process of the worker as it is, and Node loads them as it loads the product: it strips the types, and
 * modules stay loaded for the next file. A context for each file, which jest has otherwise, would load all of them again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createContext } from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const STOP_MILLISECONDS = 120_000;

/** Fails after a while, so that a stop without an end has a name. */
async function stopInTime(stop) {
  const ended = new AbortController();
  const late = pause(STOP_MILLISECONDS, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`no end after ${STOP_MILLISECONDS / 1000} seconds: ${stop}`);
  });
  late.catch(() => {});
  try {
    await Promise.race([stop(), late]);
  } finally {
    ended.abort();
  }
}

function throwAll(errors) {
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
}

export default class {
  #globals;
  /** What to stop after the file, each describe block around the running test, and the test. */
  #stops = [[]];
  #env = { ...process.env };
  #umask = process.umask();
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

  async handleTestEvent({ name, test }) {
    // Jest passes `done` to a test with more parameters than its row has values, and waits for it.
    if (name === 'test_start' && test.fn?.length > 0)
      test.fn = () => {
        throw new Error('the row has fewer values than the test has parameters');
      };
    if (name === 'run_describe_start' || name === 'test_started') this.#stops.push([]);
    if (name === 'test_done') test.errors.push(...(await this.#stopInnermost()));
    if (name === 'run_describe_finish') throwAll(await this.#stopInnermost());
  }

  /** Returns the errors of what could not be stopped, after all the rest was. */
  async #stopInnermost() {
    const errors = [];
    for (const stop of this.#stops.pop().toReversed()) {
      try {
        await stopInTime(stop);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  /** What a file starts and sets is not there for the next one, even if it failed to load or ran no test. */
  async teardown() {
    const errors = [];
    while (this.#stops.length > 0) errors.push(...(await this.#stopInnermost()));
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    // A service in this process closes its files to others, which would include programs of other users.
    process.umask(this.#umask);
    // Jest replaces it for each file.
    process.exit = this.#exit;
    for (const name of [...Object.keys(this.#globals), 'atEnd']) delete globalThis[name];
    throwAll(errors);
  }
}
