/** The small changes of meaning that a test should notice, found in the syntax tree of a source file. */
import { childrenOf, isNode, type Node, programOf } from '../kit/product.ts';

export interface Mutant {
  readonly line: number;
  /** The offsets of the text that the change replaces. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** What a comparison or a connection of conditions becomes: first its boundary, then its opposite. */
const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};

/** Calls that a list loses nothing but its order or its limits by. */
const dropped = new Set(['toSorted', 'toReversed', 'slice', 'filter', 'trim', 'toLowerCase']);

const renamed = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['findLast', 'find'],
  ['findLastIndex', 'findIndex'],
  ['min', 'max'],
  ['max', 'min'],
]);

/** Numbers from here on are doubled. */
const LARGE = 1_000;

/** Always true, for an item that exists and for one that doesn't. */
const ANY_ITEM = 'attribute_exists(pk) OR attribute_not_exists(pk)';

/** Returns all mutants of a file, in the order of its text. */
export function mutantsOf(source: string): readonly Mutant[] {
  return [...within(programOf(source), source)].toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function* within(node: Node, source: string): Generator<Mutant> {
  // Types don't run, and imports can't change.
  if (node.type.startsWith('TSType') || node.type.startsWith('TSInterface')) return;
  if (node.type === 'ImportDeclaration' || node.type === 'TSLiteralType') return;
  // Examples in the description of the API decide nothing.
  if (node.type === 'ObjectProperty' && node.key?.name === 'example') return;
  yield* of(node, source);
  // Only the sign of a comparison counts. `<` and `<=` differ for equal values only, whose order is taken not to matter.
  if (
    /\? (?:-1 : 1|1 : -1)$/.test(source.slice(node.start, node.end)) &&
    node.type === 'ConditionalExpression'
  ) {
    if (node.test === undefined) return;
    for (const mutant of within(node.test, source)) {
      const operators = [source.slice(mutant.start, mutant.end), mutant.replacement].toSorted();
      if (operators[1] !== `${operators[0]}=`) yield mutant;
    }
    return;
  }
  const isDescription = node.type === 'CallExpression' && node.callee?.name === 'described';
  for (const child of childrenOf(node)) {
    if (isDescription && child === node.arguments?.[2]) continue;
    yield* within(child, source);
  }
}

function* of(node: Node, source: string): Generator<Mutant> {
  const text = ({ start, end }: Node) => source.slice(start, end);
  const change = ({ start, end, loc }: Node, replacement: string): Mutant => ({
    line: loc.start.line,
    ...{ start, end, replacement },
  });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, right, operator = '' } = node;
      if (left === undefined || right === undefined) return;
      // Texts can only be concatenated.
      const isText = [left, right].some(({ type }) => /^(?:StringLiteral|TemplateLiteral)$/.test(type));
      if (operator === '+' && isText) return;
      const between = source.slice(left.end, right.start);
      for (const other of operators[operator] ?? []) {
        const at = left.end + between.indexOf(operator);
        yield change({ ...node, start: at, end: at + operator.length }, other);
      }
      return;
    }
    case 'UnaryExpression':
      if (node.operator === '!' && isNode(node.argument)) yield change(node, text(node.argument));
      return;
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      if (node.test === undefined) return;
      if (node.type !== 'WhileStatement') yield change(node.test, 'true');
      yield change(node.test, 'false');
      return;
    case 'BooleanLiteral':
      yield change(node, String(!node.value));
      return;
    case 'NumericLiteral': {
      const value = Number(node.value);
      // One millisecond or byte more is no other limit.
      yield change(node, String(value < LARGE ? value + 1 : 2 * value));
      return;
    }
    case 'ExpressionStatement':
      if (/^(?:CallExpression|AwaitExpression)$/.test(node.expression?.type ?? '')) yield change(node, ';');
      return;
    case 'ObjectProperty':
      if (node.key?.name === 'ConditionExpression' && isNode(node.value))
        yield change(node.value, `\`(\${${text(node.value)}}) OR ${ANY_ITEM}\``);
      return;
    case 'CallExpression': {
      const { callee } = node;
      if (callee?.type !== 'MemberExpression' || !isNode(callee.object) || !isNode(callee.property)) return;
      const { name = '' } = callee.property;
      if (dropped.has(name)) yield change(node, text(callee.object));
      const other = renamed.get(name);
      if (other !== undefined) yield change(callee.property, other);
      return;
    }
  }
}

/** The source with the change. */
export const mutated = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);
