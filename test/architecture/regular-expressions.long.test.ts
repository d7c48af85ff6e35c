/**
 * No text can make a regular expression of the product take more than linear time: recheck, a tool for this, judges each of
 * them. Expressions that are made of constants are recorded while the modules are loaded.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { check } from 'recheck';
import { childrenOf, type Node, productFiles, productText, programOf } from '../kit/product.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How long recheck may compute about an expression, in milliseconds; most take a few. */
const MOST = 3000;

/** Texts are repeated to this length; a quadratic expression takes seconds for them, and a linear one a millisecond. */
const LENGTH = 65_536;
const TOO_SLOW = 1000;

/** A text of which some repetition takes long, with a start and an end that prevent a match; undefined if there is none. */
function slowest(expression: RegExp, { length, milliseconds } = { length: LENGTH, milliseconds: TOO_SLOW }) {
  const words = new Set([
    ...' \t\n\r.,:;=<>()[]"\'-!?&%/\\aA1_+~|@#{}',
    'a ',
    'a=',
    '1.',
    '<!',
    ...wordsOf(expression),
  ]);
  for (const word of words) {
    for (const start of ['', ...wordsOf(expression)]) {
      const text = `${start}${word.repeat(length / word.length)}\0`;
      if (isSlow(expression, text, milliseconds)) return `${start} ${word}`;
    }
  }
  return undefined;
}

function isSlow(expression: RegExp, text: string, milliseconds: number): boolean {
  const begin = performance.now();
  text.replace(expression, '');
  return performance.now() - begin > milliseconds;
}

/** The literal texts in an expression. */
const wordsOf = ({ source }: RegExp): string[] =>
  [...source.matchAll(/(?:[\w<!?: -]|\\[^\w])+/g)].map(([word]) => word.replaceAll('\\', ''));

/** Every node of a syntax tree, with whether it is in a function. */
function* nodesOf(node: Node, isInFunction = false): Generator<{ node: Node; isInFunction: boolean }> {
  yield { node, isInFunction };
  const isInside = isInFunction || /Function|Method/.test(node.type);
  for (const child of childrenOf(node)) yield* nodesOf(child, isInside);
}

const nodes = productFiles.flatMap((file) =>
  [...nodesOf(programOf(productText(file)))].map((found) => ({ ...found, file })),
);

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

/** Whether a library constructs the expression, of those that the modules of the product load. */
const isCalledByLibrary = (): boolean =>
  new Error('stack').stack?.split('\n')[3]?.includes('/node_modules/') === true;

const Original = globalThis.RegExp;
globalThis.RegExp = new Proxy(Original, {
  construct(target, [pattern, flags = '']) {
    const made = new target(pattern, flags);
    if (!isCalledByLibrary()) add(made.source, made.flags, 'constructed');
    return made;
  },
});
const literals = expressions.size;
for (const file of new Set(constructed.map((found) => found.file))) await import(join(root, file));
const { routes } = await import('../../functions/routes.ts');
const { pathPattern } = await import('../../shared/runtime/http/path-pattern.ts');
for (const { path } of Object.values(routes)) pathPattern(path);
globalThis.RegExp = Original;

describe('the timing of expressions', () => {
  test.each([/^(?:\d{1,10}[smhdw]?)+$/i, /[,;]+$/, /<!--[\s\S]*?-->/])('notices %s', (slow) => {
    const limits = { length: slow.source.startsWith('^(?:') ? 26 : LENGTH / 2, milliseconds: 10 };
    expect(slowest(slow, limits)).toBeDefined();
  });
});

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
    const exact = await check(pattern, flags, { checker: 'automaton', timeout: MOST });
    if (exact.status === 'unknown') {
      // Lookaheads and long counted repetitions.
      expect(exact.error.kind).toMatch(/^(?:unsupported|timeout)$/);
      const fuzzed = await check(pattern, flags, { checker: 'fuzz', randomSeed: 1, timeout: 10 * MOST });
      // The fuzzer also counts steps that are bounded, so what it found is timed, too.
      const attack = fuzzed.status === 'vulnerable' ? fuzzed.attack.string : '';
      expect({ place, attack: isSlow(new RegExp(pattern, flags), attack, TOO_SLOW) }).toEqual({
        place,
        attack: false,
      });
      expect({ place, slowest: slowest(new RegExp(pattern, flags)) }).toEqual({ place, slowest: undefined });
    } else expect({ place, status: exact.status }).toEqual({ place, status: 'safe' });
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
