/**
 * No text can make a regular expression of the product take more than linear time: recheck, a tool for this, judges each of
 * them. Expressions that are made of constants are recorded while the modules are loaded.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { describe, expect, test } from '@jest/globals';
import { check } from 'recheck';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The longest time for one expression, in milliseconds; most take a few. */
const MOST = 30_000;

interface Node {
  readonly type: string;
  readonly pattern?: string;
  readonly flags?: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly callee?: { readonly name?: string };
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'loc' in value;

/** Every node of a syntax tree, with whether it is in a function. */
function* nodesOf(value: unknown, isInFunction = false): Generator<{ node: Node; isInFunction: boolean }> {
  if (isNode(value)) yield { node: value, isInFunction };
  const isInside = isInFunction || (isNode(value) && /Function|Method/.test(value.type));
  for (const child of typeof value === 'object' && value !== null ? Object.values(value) : [])
    yield* nodesOf(child, isInside);
}

const files = ['shared', 'functions', 'lib', 'bin'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);

const nodes = files.flatMap((file) => {
  const { program } = parse(readFileSync(join(root, file), 'utf8'), {
    sourceType: 'module',
    plugins: ['typescript'],
  });
  return [...nodesOf(program)].map((found) => ({ ...found, file }));
});

const constructed = nodes.filter(({ node }) => node.callee?.name === 'RegExp');

/** `/pattern/flags`, by where it occurs first. */
const expressions = new Map<string, { pattern: string; flags: string; place: string }>();

function add(pattern: string, flags: string, place: string): void {
  const key = `/${pattern}/${flags}`;
  if (!expressions.has(key)) expressions.set(key, { pattern, flags, place });
}

for (const { node, file } of nodes)
  if (node.type === 'RegExpLiteral')
    add(node.pattern ?? '', node.flags ?? '', `${file}:${node.loc.start.line}`);

const Original = globalThis.RegExp;
globalThis.RegExp = new Proxy(Original, {
  construct(target, [pattern, flags = '']) {
    const made = new target(pattern, flags);
    add(made.source, made.flags, 'constructed');
    return made;
  },
});
const literals = expressions.size;
for (const file of new Set(constructed.map((found) => found.file))) await import(join(root, file));
const { routes } = await import('../../functions/routes.ts');
const { pathPattern } = await import('../../shared/runtime/http/path-pattern.ts');
for (const { path } of Object.values(routes)) pathPattern(path);
globalThis.RegExp = Original;

describe('the regular expressions of the product', () => {
  test('are found', () => {
    expect(literals).toBeGreaterThan(200);
    expect(expressions.size).toBeGreaterThan(literals + constructed.length);
  });

  test('are constants, except for the paths of routes', () => {
    const computed = constructed.filter(({ isInFunction }) => isInFunction).map(({ file }) => file);
    expect(computed).toEqual(['shared/runtime/http/path-pattern.ts']);
  });

  test.each([...expressions])('%s takes linear time', async (_, { pattern, flags, place }) => {
    const verdict = await check(pattern, flags, { timeout: MOST });
    expect({ place, status: verdict.status }).toEqual({ place, status: 'safe' });
  });

  test.each([
    ['exponential', '^(?:\\d{1,10}[smhdw]?)+$'],
    ['polynomial', '^;remove[ \\t]+(.*?)[ \\t\\r]*$'],
  ])('would be refused if they took %s time', async (complexity, pattern) => {
    expect(await check(pattern, '')).toMatchObject({
      status: 'vulnerable',
      complexity: { type: complexity },
    });
  });
});
