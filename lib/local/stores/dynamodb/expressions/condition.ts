/** Conditions of writes, filters and, more restricted, of a Query's key (AWS, "Condition and filter expressions"). */
import { isDeepStrictEqual } from 'node:util';
import { typeOf } from '../attribute-value.ts';
import { notOffered } from '../errors.ts';
import { compareValues } from '../order.ts';
import { Parser, type Placeholders } from './parser.ts';
import type { Comparator, Condition, Operand } from './syntax.ts';

const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies Comparator[];
const FUNCTIONS: readonly string[] = ['attribute_exists', 'attribute_not_exists', 'begins_with'];
const NOT_OFFERED: readonly string[] = ['attribute_type', 'contains', 'size'];

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
  let left = single(parser);
  while (parser.accept('AND')) {
    parser.countOperator();
    left = { kind: 'and', left, right: single(parser) };
  }
  return left;
}

function single(parser: Parser): Condition {
  if (parser.accept('NOT')) throw notOffered('NOT');
  if (!parser.accept('(')) return parser.isCall() ? call(parser) : comparison(parser);
  const inner = either(parser);
  parser.expect(')');
  return inner;
}

function comparison(parser: Parser): Condition {
  const left = parser.operand();
  parser.countOperator();
  if (parser.accept('BETWEEN')) {
    const low = orderable(parser, 'BETWEEN', parser.operand());
    parser.expect('AND');
    const high = orderable(parser, 'BETWEEN', parser.operand());
    refuseSame(parser, 'BETWEEN', left, [low, high]);
    if (low.kind === 'value' && high.kind === 'value' && (compareValues(low.value, high.value) ?? 1) > 0) {
      throw parser.refuse(
        'The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
      );
    }
    return { kind: 'between', operand: left, low, high };
  }
  if (parser.accept('IN')) throw notOffered('IN');
  const { kind, text } = parser.peek();
  if (kind !== 'symbol' || !isComparator(text)) throw parser.unexpected();
  parser.take();
  const right = parser.operand();
  refuseSame(parser, text, left, [right]);
  if (text === '=' || text === '<>') return { kind: 'compare', comparator: text, left, right };
  return {
    kind: 'compare',
    comparator: text,
    left: orderable(parser, text, left),
    right: orderable(parser, text, right),
  };
}

function call(parser: Parser): Condition {
  const name = parser.take().text;
  if (NOT_OFFERED.includes(name)) throw notOffered(`the function ${name}`);
  if (!FUNCTIONS.includes(name)) throw parser.refuse(`Invalid function name; function: ${name}`);
  parser.countOperator();
  parser.expect('(');
  const operands = parser.list(() => parser.operand());
  parser.expect(')');
  const [first, second] = operands;
  if (!first || operands.length !== (name === 'begins_with' ? 2 : 1)) {
    throw parser.refuse(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  if (name !== 'begins_with' || !second) {
    const kind = name === 'attribute_exists' ? name : 'attribute_not_exists';
    if (first.kind === 'path') return { kind, path: first.path };
    throw parser.refuse(`Operator or function requires a document path; operator or function: ${name}`);
  }
  refuseSame(parser, name, first, [second]);
  for (const argument of operands) {
    if (argument.kind === 'value' && !('S' in argument.value || 'B' in argument.value)) {
      throw parser.refuseOperand(name, typeOf(argument.value));
    }
  }
  return { kind: name, operand: first, part: second };
}

const isComparator = (text: string): text is Comparator => COMPARATORS.includes(text);

/** An attribute cannot be compared with itself. */
function refuseSame(parser: Parser, operator: string, first: Operand, others: readonly Operand[]): void {
  if (first.kind === 'path' && others.some((other) => isDeepStrictEqual(first, other))) {
    throw parser.refuse(
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: [${first.path.join(', ')}]`,
    );
  }
}

function orderable(parser: Parser, operator: string, operand: Operand): Operand {
  if (operand.kind === 'value' && !['S', 'N', 'B'].includes(typeOf(operand.value))) {
    throw parser.refuseOperand(operator, typeOf(operand.value));
  }
  return operand;
}
