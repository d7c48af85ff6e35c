/**
 * The code of the service, bundled so that it can be evaluated again for each simulated process: the product with its own
 * state each time, packages once. Whatever depends on time, chance, files or sockets goes to the process that runs.
 */
import { readFile } from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { type Machine, presentMachine } from './machine.ts';
import type { Bug } from './planted.ts';

type Process = typeof import('./process.ts') & typeof import('./peers.ts');
type Exports = Readonly<Record<string, unknown>>;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ENTRY = fileURLToPath(new URL('./entry.ts', import.meta.url));
const PEERS = fileURLToPath(new URL('./peers.ts', import.meta.url));

/** The modules of the product that make ports to recipients of alerts. */
const REPLACED = /shared\/runtime\/dependencies\/(web-poster|mail-sender)\.ts$/;

/** Packages with state that belongs to a process. */
const STATEFUL = ['uuid'];

const options = {
  ...({ bundle: true, platform: 'node', format: 'cjs', target: 'node24', logLevel: 'warning' } as const),
  define: { 'import.meta.url': '"file:///simulation/service.js"' },
  // What the product loads on demand is there, too.
  supported: { 'dynamic-import': false },
  absWorkingDir: root,
} as const;

/** Evaluates the code of the service for a process. */
export type Evaluate = (machine: Machine) => Process;

const require = createRequire(import.meta.url);
let packages: { readonly names: string; readonly exports: Exports } | undefined;

/**
 * Bundles the product, with these bugs in it.
 * @throws Error if a bug does not fit the product: then it has to be planted elsewhere.
 */
export async function serviceCode(bugs: readonly Bug[] = []): Promise<Evaluate> {
  const wanted = new Set<string>();
  const planted = new Set<Bug>();
  const ofProduct: Plugin = {
    name: 'product',
    setup(on) {
      on.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('/') || STATEFUL.includes(path)) return undefined;
        if (!isBuiltin(path)) wanted.add(path);
        return { path, external: true };
      });
      on.onLoad({ filter: REPLACED }, ({ path }) => ({
        contents: `export { ${path.includes('web') ? 'webPoster' : 'mailSender'} } from ${JSON.stringify(PEERS)};`,
        loader: 'ts',
      }));
      for (const bug of bugs) {
        on.onLoad({ filter: new RegExp(`/${bug.file.replaceAll('.', '\\.')}$`) }, async ({ path }) => {
          const text = await readFile(path, 'utf8');
          if (text.split(bug.from).length !== 2) throw new Error(`not once in ${bug.file}: ${bug.from}`);
          planted.add(bug);
          return { contents: text.replace(bug.from, () => bug.to), loader: 'ts' };
        });
      }
    },
  };
  const built = await build({ ...options, write: false, entryPoints: [ENTRY], plugins: [ofProduct] });
  const missing = bugs.find((bug) => !planted.has(bug));
  if (missing !== undefined) throw new Error(`the service does not use ${missing.file}`);
  const script = scriptOf(built.outputFiles[0]?.text ?? '');
  const shared = await packagesOf([...wanted].toSorted());
  // What a default import gets is the default export, if there is one.
  const load = (name: string): unknown =>
    shared[name] === undefined ? nodeModule(name) : ((shared[name] as Exports).default ?? shared[name]);
  return (machine) => machine.run(() => evaluated(script, load) as unknown as Process);
}

const isBuiltin = (name: string): boolean => name.startsWith('node:') || builtinModules.includes(name);

/** Evaluates these packages once in this process. */
async function packagesOf(names: readonly string[]): Promise<Exports> {
  const key = names.join(' ');
  if (packages?.names === key) return packages.exports;
  const contents = names.map(
    (name, at) =>
      `import * as p${at} from ${JSON.stringify(name)}; exports[${JSON.stringify(name)}] = p${at};`,
  );
  const built = await build({
    ...options,
    write: false,
    stdin: { contents: contents.join('\n'), resolveDir: root },
  });
  isLoading = true;
  try {
    const exports = evaluated(scriptOf(built.outputFiles[0]?.text ?? ''), nodeModule);
    packages = { names: key, exports };
    return exports;
  } finally {
    isLoading = false;
  }
}

const GLOBALS = [
  ...['Date', 'Math', 'process', 'performance', 'crypto', 'AbortSignal'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
] as const;

/** Where esbuild makes a namespace of what was required, once per import, which is most of the time of an evaluation. */
const TO_ESM = 'var __toESM = (mod, isNodeMode, target) =>';

function scriptOf(code: string): Script {
  if (!code.includes(TO_ESM)) throw new Error('esbuild writes other code');
  const kept = code.replace(
    TO_ESM,
    `var __toESM = (mod, isNodeMode) => namespaceOf(mod, () => __makeESM(mod, isNodeMode));
    ${TO_ESM.replace('__toESM', '__makeESM')}`,
  );
  return new Script(`(function (require, module, exports, namespaceOf, ${GLOBALS.join(', ')}) {${kept}\n})`, {
    filename: 'service.js',
  });
}

const namespaces = new WeakMap<object, unknown>();

function namespaceOf(module: object, make: () => unknown): unknown {
  const made = namespaces.get(module) ?? make();
  namespaces.set(module, made);
  return made;
}

function evaluated(script: Script, load: (name: string) => unknown): Exports {
  const module = { exports: {} };
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  run(load, module, module.exports, namespaceOf, ...GLOBALS.map((name) => globals[name]));
  return module.exports;
}

const present = (name: string): unknown => presentMachine().globals[name];
/** A function that is that of the present process. */
const call = (of: () => unknown) =>
  function (this: unknown, ...given: unknown[]): unknown {
    return (of() as (...given: unknown[]) => unknown)(...given);
  };

/** While packages are evaluated, there is no process. */
let isLoading = false;

class PresentDate extends Date {
  constructor(...given: ConstructorParameters<typeof Date> | []) {
    if (given.length === 0) super(PresentDate.now());
    else super(...(given as ConstructorParameters<typeof Date>));
  }

  static override now(): number {
    return isLoading ? 0 : presentMachine().now();
  }
}

const seededMath = Object.create(Math, {
  random: { value: call(() => present('random')) },
});

const globals: Readonly<Record<(typeof GLOBALS)[number], unknown>> = {
  ...(Object.fromEntries(
    GLOBALS.filter((name) => name.startsWith('set') || name.startsWith('clear')).map((name) => [
      name,
      call(() => present(name)),
    ]),
  ) as Record<(typeof GLOBALS)[number], unknown>),
  Date: PresentDate,
  Math: seededMath,
  performance: proxyOf(performance, () => present('performance') as object),
  crypto: proxyOf(crypto, () => present('crypto') as object),
  AbortSignal: proxyOf(AbortSignal, () => present('AbortSignal') as object, ['timeout', 'any']),
  process: proxyOf(process, () => present('process') as object),
};

/** The same object, but for what the present process has of its own. While packages load, there is no process. */
function proxyOf(real: object, own: () => object, keys?: readonly string[]): unknown {
  return new Proxy(real, {
    get: (target, key) =>
      isLoading || (keys !== undefined && !keys.includes(String(key)))
        ? Reflect.get(target, key, target)
        : Reflect.get(own(), key),
  });
}

/** The functions of Node's modules that a process has of its own. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  timers: ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
  'timers/promises': ['setTimeout', 'setImmediate'],
  crypto: ['randomUUID', 'randomBytes', 'randomFillSync', 'getRandomValues', 'randomInt'],
  fs: [
    ...['mkdirSync', 'chmodSync', 'fsyncSync', 'openSync', 'closeSync', 'writeSync', 'writeFileSync'],
    ...['readFileSync', 'linkSync', 'rmSync', 'statSync', 'existsSync'],
  ],
  'fs/promises': ['readFile'],
  http: ['createServer'],
  net: ['createServer', 'connect'],
  dgram: ['createSocket'],
  zlib: ['brotliCompressSync'],
};

const modules = new Map<string, unknown>();

function nodeModule(name: string): unknown {
  const key = name.replace(/^node:/, '');
  const made = modules.get(key) ?? makeModule(key, name);
  modules.set(key, made);
  return made;
}

function makeModule(key: string, name: string): unknown {
  const real = require(name);
  if (key === 'sqlite') {
    return {
      DatabaseSync: new Proxy(class {}, {
        construct: (_target, given) =>
          Reflect.construct(
            (presentMachine().module('sqlite') as { DatabaseSync: () => void }).DatabaseSync,
            given,
          ),
      }),
    };
  }
  if (key === 'perf_hooks') return { ...real, performance: globals.performance };
  if (key === 'process') return globals.process;
  const own = OWN[key];
  if (own === undefined) return real;
  const of = (part: string) => call(() => (presentMachine().module(key) as Record<string, unknown>)[part]);
  const replaced = Object.fromEntries(own.map((part) => [part, of(part)]));
  return key === 'fs'
    ? { ...real, ...replaced, promises: nodeModule('fs/promises') }
    : { ...real, ...replaced };
}
