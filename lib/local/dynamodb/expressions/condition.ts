/** Conditions of writes, filters and, more restricted, of a Query's key (AWS, "Condition and filter expressions"). */
import { isDeepStrictEqual } from 'node:util';
import { ATTRIBUTE_TYPES, type AttributeType, typeOf } from '../attribute-value.ts';
import { compareValues } from '../order.ts';
import { Parser, type Placeholders } from './parser.ts';
import type { Comparator, Condition, Operand, Path } from './syntax.ts';

const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies Comparator[];
const FUNCTIONS: readonly string[] = [
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
];
/** AWS, "Service, account, and table quotas": the number of operands of IN. */
const MAX_LIST = 100;

/** `what` names the parameter. Throws `InvalidRequest`. */
export function parseCondition(what: string, expression: string, placeholders: Placeholders): Condition {
  const parser = new Parser(what, expression, placeholders);
  return parser.whole(() => either(parser));
}

function either(parser: Parser): Condition {
  let left = both(parser);
  while (parser.accept('OR')) {
    parser.countOperator();
    left = { kind: 'or', left, right: both(parser) };
  }
  return left;
}

function both(parser: Parser): Condition {
  let left = negated(parser);
  while (parser.accept('AND')) {
    parser.countOperator();
    left = { kind: 'and', left, right: negated(parser) };
  }
  return left;
}

function negated(parser: Parser): Condition {
  if (parser.accept('NOT')) {
    parser.countOperator();
    return { kind: 'not', condition: negated(parser) };
  }
  if (!parser.accept('(')) {
    return isCall(parser) && parser.peek().text !== 'size' ? test(parser) : comparison(parser);
  }
  const inner = either(parser);
  parser.expect(')');
  return inner;
}

function comparison(parser: Parser): Condition {
  const left = operand(parser);
  parser.countOperator();
  if (parser.accept('BETWEEN')) {
    const low = orderable(parser, 'BETWEEN', operand(parser));
    parser.expect('AND');
    const high = orderable(parser, 'BETWEEN', operand(parser));
    refuseSame(parser, 'BETWEEN', left, [low, high]);
    if (low.kind === 'value' && high.kind === 'value' && (compareValues(low.value, high.value) ?? 1) > 0) {
      throw parser.refuse(
        'The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
      );
    }
    return { kind: 'between', operand: left, low, high };
  }
  if (parser.accept('IN')) {
    parser.expect('(');
    const list = parser.list(() => operand(parser));
    parser.expect(')');
    if (list.length > MAX_LIST) throw countRefused(parser, 'IN', list.length);
    refuseSame(parser, 'IN', left, list);
    return { kind: 'in', operand: left, list };
  }
  const { kind, text } = parser.peek();
  if (kind !== 'symbol' || !isComparator(text)) throw parser.unexpected();
  parser.take();
  const right = operand(parser);
  refuseSame(parser, text, left, [right]);
  if (text === '=' || text === '<>') return { kind: 'compare', comparator: text, left, right };
  return {
    kind: 'compare',
    comparator: text,
    left: orderable(parser, text, left),
    right: orderable(parser, text, right),
  };
}

function operand(parser: Parser): Operand {
  if (parser.peek().kind === 'value') return { kind: 'value', value: parser.value() };
  if (!isCall(parser)) return { kind: 'path', path: parser.path() };
  const [path] = call(parser, ['size'], 1);
  return { kind: 'size', path: asPath(parser, 'size', path) };
}

function test(parser: Parser): Condition {
  const name = parser.peek().text;
  const [first, second] = call(
    parser,
    FUNCTIONS,
    name.startsWith('attribute_') && name !== 'attribute_type' ? 1 : 2,
  );
  if (name === 'attribute_exists' || name === 'attribute_not_exists') {
    return { kind: name, path: asPath(parser, name, first) };
  }
  if (first === undefined || second === undefined) throw parser.unexpected();
  if (name === 'attribute_type') {
    return { kind: name, path: asPath(parser, name, first), type: asType(parser, second) };
  }
  refuseSame(parser, name, first, [second]);
  if (name === 'begins_with') {
    for (const argument of [first, second]) {
      if (argument.kind === 'value' && !('S' in argument.value || 'B' in argument.value)) {
        throw parser.refuseOperand(name, typeOf(argument.value));
      }
    }
    return { kind: name, operand: first, part: second };
  }
  return { kind: 'contains', operand: first, part: second };
}

function call(parser: Parser, allowed: readonly string[], count: number): readonly Operand[] {
  const name = parser.take().text;
  if (!allowed.includes(name)) {
    throw parser.refuse(
      name === 'size' || FUNCTIONS.includes(name)
        ? `The function is not allowed to be used this way in an expression; function: ${name}`
        : `Invalid function name; function: ${name}`,
    );
  }
  parser.countOperator();
  parser.expect('(');
  const operands = parser.list(() => operand(parser));
  parser.expect(')');
  if (operands.length !== count) throw countRefused(parser, name, operands.length);
  return operands;
}

const isCall = (parser: Parser): boolean =>
  parser.peek().kind === 'name' && parser.peek(1).kind === 'symbol' && parser.peek(1).text === '(';

const isComparator = (text: string): text is Comparator => COMPARATORS.includes(text);

const countRefused = (parser: Parser, operator: string, count: number) =>
  parser.refuse(
    `Incorrect number of operands for operator or function; operator or function: ${operator}, number of operands: ${count}`,
  );

/** An attribute cannot be compared with itself. */
function refuseSame(parser: Parser, operator: string, first: Operand, others: readonly Operand[]): void {
  if (first.kind === 'path' && others.some((other) => isDeepStrictEqual(first, other))) {
    throw parser.refuse(
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: [${first.path.join(', ')}]`,
    );
  }
}

function asPath(parser: Parser, name: string, operand: Operand | undefined): Path {
  if (operand?.kind === 'path') return operand.path;
  throw parser.refuse(`Operator or function requires a document path; operator or function: ${name}`);
}

function asType(parser: Parser, operand: Operand): AttributeType {
  const named = operand.kind === 'value' && 'S' in operand.value ? operand.value.S : undefined;
  const type = ATTRIBUTE_TYPES.find((known) => known === named);
  if (type === undefined)
    throw parser.refuse(
      `Invalid attribute type name found; type: ${named}, valid types: {${ATTRIBUTE_TYPES}}`,
    );
  return type;
}

function orderable(parser: Parser, operator: string, operand: Operand): Operand {
  if (operand.kind === 'value' && !['S', 'N', 'B'].includes(typeOf(operand.value))) {
    throw parser.refuseOperand(operator, typeOf(operand.value));
  }
  return operand;
}
