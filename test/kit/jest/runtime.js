/**
 * Loads tests as Node loads the product. Each test file has modules of the project for itself, and shares packages with the
 * other files of its worker: loading the AWS SDK or the CDK takes longer than most files.
 */

import { readFileSync } from 'node:fs';
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setGlobals } from './globals.js';

const require = createRequire(import.meta.url);
const root = new URL('../../../', import.meta.url).href;
const packages = new URL('node_modules/', root).href;

/** The number of a test file in the URL of each module that it loads. */
let files = 0;
const FILE = /\?file=\d+$/;

/** Code without types, by the path of its file. */
const stripped = new Map();

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals')
      return { url: new URL('globals.js', import.meta.url).href, shortCircuit: true };
    const found = next(specifier, context);
    const [file] = FILE.exec(context.parentURL ?? '') ?? [];
    const isOwn =
      file !== undefined &&
      found.url.endsWith('.ts') &&
      found.url.startsWith(root) &&
      !found.url.startsWith(packages);
    return isOwn ? { ...found, url: `${found.url}${file}` } : found;
  },
  load(url, context, next) {
    if (!FILE.test(url)) return next(url, context);
    const path = fileURLToPath(url);
    const source = stripped.get(path) ?? stripTypeScriptTypes(readFileSync(path, 'utf8'));
    stripped.set(path, source);
    return { format: 'module', source, shortCircuit: true };
  },
});

export default class {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  unstable_shouldLoadAsEsm = () => true;
  unstable_importModule = (path) => import(`${pathToFileURL(path)}?file=${++files}`);

  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  requireModule = require;

  setGlobalsForRuntime(globals) {
    const { moduleMocker: mocker, fakeTimersModern: timers } = this.#environment;
    const jest = {
      spyOn: (...of) => mocker.spyOn(...of),
      restoreAllMocks: () => mocker.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
    };
    setGlobals({ ...globals, jest });
  }

  getSourceMaps = () => new Map();
  getAllCoverageInfoCopy = () => undefined;
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
  }
}
