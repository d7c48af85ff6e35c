/** Tests that cannot fail: without an assertion, with one whose outcome is fixed, or with one that nobody waits for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { childrenOf, isNode, type Node, nodesIn, programOf } from '../kit/product.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

const isFunction = ({ type }: Node): boolean =>
  /^(?:Function|ArrowFunction|ObjectMethod|ClassMethod)/.test(type);

/** `test` in `test.each(rows)('title', ...)` and in `(isInstalled ? test : test.skip)('title', ...)`. */
function leftmost(node: Node | undefined): string | undefined {
  if (node === undefined || node.type === 'Identifier') return node?.name;
  return leftmost(node.callee ?? node.tag ?? node.object ?? node.consequent);
}

/** The name that a call is by: `f` for `f()` and for `a.f()`. */
const calledName = ({ callee }: Node): string | undefined => callee?.property?.name ?? callee?.name;

/** The names of the functions in these programs that assert something, directly or by what they call. */
function assertingIn(programs: readonly Node[]): ReadonlySet<string> {
  const declared = programs.flatMap((program) =>
    [...nodesIn(program)].flatMap((node) => {
      const value = node.init ?? (isNode(node.value) ? node.value : undefined) ?? node;
      const name = (node.id ?? node.key)?.name;
      if (name === undefined || ![...childrenOf(node), node].some(isFunction)) return [];
      return [{ name, calls: [...nodesIn(value)].flatMap((one) => calledName(one) ?? []) }];
    }),
  );
  const names = new Set(['expect']);
  for (let before = 0; before !== names.size; ) {
    before = names.size;
    for (const { name, calls } of declared) if (calls.some((call) => names.has(call))) names.add(name);
  }
  return names;
}

/** The tests that have no assertion. `asserting`: the functions that have one. */
function testsWithoutAssertion(program: Node, asserting: ReadonlySet<string>): Node[] {
  return [...nodesIn(program)].filter((node) => {
    if (node.type !== 'CallExpression' || !/^(?:test|it)$/.test(leftmost(node.callee) ?? '')) return false;
    const body = node.arguments?.slice(1).find((one) => isFunction(one) || one.type === 'Identifier');
    // What a machine lacks is the reason for a test that says only that it is skipped.
    if (body === undefined || node.callee?.property?.name === 'skip') return false;
    return ![...nodesIn(body)].some((one) => asserting.has(calledName(one) ?? one.name ?? ''));
  });
}

const LITERALS = [
  'StringLiteral',
  'NumericLiteral',
  'BooleanLiteral',
  'NullLiteral',
  'RegExpLiteral',
  'BigIntLiteral',
];

/** The names of constants with a fixed text or number, if no other variable of the file has the same name. */
function fixedNames(program: Node): ReadonlySet<string> {
  const names = new Map<string, number>();
  const fixed = new Set<string>();
  for (const node of nodesIn(program)) {
    if (node.type !== 'VariableDeclaration' && !isFunction(node)) continue;
    for (const inside of declaredBy(node)) {
      names.set(inside.name, (names.get(inside.name) ?? 0) + 1);
      if (inside.isFixed) fixed.add(inside.name);
    }
  }
  return new Set([...fixed].filter((name) => names.get(name) === 1));
}

/** Whether an expression is a fixed text or number, which nothing can change later, unlike a list. */
const isText = (init: Node | null | undefined): boolean =>
  isFixed(init, new Set()) && ![...nodesIn(init as Node)].some(({ type }) => type === 'ArrayExpression');

/** The variables or parameters that a declaration has. */
function declaredBy(node: Node): { readonly name: string; readonly isFixed: boolean }[] {
  if (node.type === 'VariableDeclaration') {
    const declarators = [...childrenOf(node)].filter(({ id }) => id);
    return declarators.flatMap(({ id, init }) =>
      identifiersIn(id as Node).map((name) => ({
        name,
        isFixed: node.kind === 'const' && id?.type === 'Identifier' && isText(init),
      })),
    );
  }
  return (node.params ?? []).flatMap(identifiersIn).map((name) => ({ name, isFixed: false }));
}

const identifiersIn = (node: Node): string[] =>
  [...nodesIn(node)].flatMap(({ type, name = [] }) => (type === 'Identifier' ? name : []));

/** Whether an expression has the same value whatever the product does. */
function isFixed(node: Node | null | undefined, names: ReadonlySet<string>): boolean {
  if (node === null || node === undefined) return false;
  if (LITERALS.includes(node.type)) return true;
  if (node.type === 'Identifier') return node.name === 'undefined' || names.has(node.name ?? '');
  if (node.type === 'TemplateLiteral') return (node.expressions ?? []).every((one) => isFixed(one, names));
  if (node.type === 'ArrayExpression') return (node.elements ?? []).every((one) => isFixed(one, names));
  if (node.type === 'BinaryExpression') return isFixed(node.left, names) && isFixed(node.right, names);
  if (/^(?:TS\w+Expression|UnaryExpression|ParenthesizedExpression)$/.test(node.type))
    return isFixed(node.expression ?? node.argument, names);
  if (node.type === 'MemberExpression') return node.computed !== true && isFixed(node.object, names);
  return false;
}

/** The indexes that `for (const [index] of list.entries())` declares. */
const indexesIn = (program: Node): ReadonlySet<string> =>
  new Set(
    [...nodesIn(program)].flatMap((node) => {
      const right = node.right;
      if (node.type !== 'ForOfStatement' || right?.callee?.property?.name !== 'entries') return [];
      const [index] =
        [...nodesIn(node.left as Node)].find(({ type }) => type === 'ArrayPattern')?.elements ?? [];
      return index?.name ?? [];
    }),
  );

/** `expect(x)` in `expect(x).not.toBe(y)`. */
function expectIn(node: Node | undefined): Node | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'CallExpression' && node.callee?.name === 'expect') return node;
  return expectIn(node.callee ?? node.object);
}

/** Whether an assertion is about what a promise becomes. */
const waits = ({ property, callee, object }: Node): boolean =>
  /^(?:resolves|rejects)$/.test(property?.name ?? '') ||
  [callee, object].some((one) => one !== undefined && waits(one));

const isEquality = (matcher: string): boolean => /^to(?:Be|Equal|StrictEqual|MatchObject)$/.test(matcher);

/** Two calls can have different results. */
const hasCall = (node: Node): boolean => [...nodesIn(node)].some(({ type }) => type === 'CallExpression');

/** Why assertions cannot fail, with their lines. */
function vainAssertions(text: string, program: Node): string[] {
  const names = fixedNames(program);
  const indexes = indexesIn(program);
  const source = ({ start, end }: Node) => text.slice(start, end);
  return [...nodesIn(program)].flatMap((node) => {
    const at = (why: string) => [`${node.loc.start.line}: ${why}`];
    if (node.type === 'ExpressionStatement') {
      const inner = node.expression as Node;
      if (expectIn(inner) === inner) return at('has no matcher');
      return expectIn(inner) !== undefined && waits(inner) ? at('is not awaited') : [];
    }
    const matcher = node.callee?.property?.name;
    const about = expectIn(node.callee)?.arguments?.[0];
    if (node.type !== 'CallExpression' || matcher === undefined || about === undefined) return [];
    const { arguments: given = [] } = node;
    const [wanted] = given;
    if ([about, ...given].every((one) => isFixed(one, names))) return at('compares fixed values');
    if (wanted !== undefined && isEquality(matcher) && source(about) === source(wanted) && !hasCall(about))
      return at('compares a value with itself');
    const isCount = /\.(?:length|size)$/.test(source(about));
    const isNatural = isCount || indexes.has(about.name ?? '');
    if (isNatural && wanted !== undefined) {
      if (matcher === 'toBeGreaterThanOrEqual' && source(wanted) === '0') return at('holds for every count');
      if (matcher === 'toBeGreaterThan' && source(wanted) === '-1') return at('holds for every count');
      if (matcher === 'toBeLessThan' && indexes.has(about.name ?? '') && /\.length$/.test(source(wanted)))
        return at('holds for every index');
    }
    return [];
  });
}

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return { name, text, program: programOf(text) };
  });
const asserting = assertingIn(files.map(({ program }) => program));

describe('a test that cannot fail is found:', () => {
  test.each([
    ["test('x', () => { run(); });", true],
    ["test.each([1])('x', async (n) => { await run(n); });", true],
    ["test('x', () => { expect(run()).toBe(1); });", false],
    ["test('x', async () => { await verify(); });", false],
    ["test('x', verify);", false],
  ])('%s', (text, isFound) => {
    const helper = programOf(
      'async function verify() { for (const one of all) check(one); } const check = (n) => expect(n).toBe(1);',
    );
    const found = testsWithoutAssertion(programOf(text), assertingIn([helper]));
    expect(found).toHaveLength(isFound ? 1 : 0);
  });

  test.each([
    ['expect(true).toBe(true)', ['1: compares fixed values']],
    ['const A = 5; expect(`a`.length).toBe(A + 1)', ['1: compares fixed values']],
    ['const A = 5; f((A) => expect(A).toBe(5))', []],
    ['expect(run(5)).toBe(true)', []],
    ['expect([200, 404]).toContain(run())', []],
    ['expect(random()).not.toBe(random())', []],
    ['const { a } = run(); expect(a.b).toEqual(a.b)', ['1: compares a value with itself']],
    ['expect(run().length).toBeGreaterThanOrEqual(0)', ['1: holds for every count']],
    [
      'for (const [at, x] of all.entries()) expect(at).toBeLessThan(all.length)',
      ['1: holds for every index'],
    ],
    ['expect(run())', ['1: has no matcher']],
    ['expect(run()).rejects.toThrow()', ['1: is not awaited']],
    ['await expect(run()).rejects.toThrow()', []],
  ])('%s', (text, found) => {
    expect(vainAssertions(text, programOf(text))).toEqual(found);
  });
});

test('every test has an assertion', () => {
  const without = files.flatMap(({ name, program }) =>
    testsWithoutAssertion(program, asserting).map(({ loc }) => `${name}:${loc.start.line}`),
  );
  expect(without).toEqual([]);
});

test('every assertion can fail', () => {
  const vain = files.flatMap(({ name, text, program }) =>
    vainAssertions(text, program).map((found) => `${name}:${found}`),
  );
  expect(vain).toEqual([]);
});
