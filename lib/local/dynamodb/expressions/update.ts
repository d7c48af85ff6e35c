/** Update expressions (AWS, "Update expressions"): every action reads the item as it was before the update. */
import { type AttributeValue, type Item, membersOf, setOf, typeOf } from '../attribute-value.ts';
import { addDecimals, formatDecimal, negateDecimal, parseDecimal } from '../decimal.ts';
import { InvalidRequest } from '../errors.ts';
import { Parser, type Placeholders } from './parser.ts';
import { refuseOverlaps, valueAt, withoutValueAt, withValueAt } from './paths.ts';
import type { Action, Path, Source } from './syntax.ts';

const WHAT = 'UpdateExpression';
const CLAUSES = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

/** Throws `InvalidRequest`. */
export function parseUpdate(expression: string, placeholders: Placeholders): readonly Action[] {
  const parser = new Parser(WHAT, expression, placeholders);
  const actions = parser.whole(() => clauses(parser));
  refuseOverlaps(
    WHAT,
    actions.map(({ path }) => path),
  );
  return actions;
}

/** The item after all actions. Throws `InvalidRequest` if a path or an operand does not fit the item. */
export function applyUpdate(item: Item, actions: readonly Action[]): Item {
  const changes = actions.map((action) => ({ path: action.path, value: resultOf(item, action) }));
  const puts = changes
    .filter(({ value }) => value !== undefined)
    .sort((one, two) => lastStep(one) - lastStep(two));
  // From the end of a list, so that the positions stay valid; values that do not exist need no removal.
  const removals = changes
    .filter(
      ({ path, value }) =>
        value === undefined && parentExists(item, path) && valueAt(item, path) !== undefined,
    )
    .sort((one, two) => lastStep(two) - lastStep(one));
  const after = puts.reduce((next, { path, value }) => (value ? withValueAt(next, path, value) : next), item);
  return removals.reduce((next, { path }) => withoutValueAt(next, path), after);
}

function clauses(parser: Parser): readonly Action[] {
  const actions = new Map<string, readonly Action[]>();
  do {
    const clause = CLAUSES.find((keyword) => parser.accept(keyword));
    if (clause === undefined) throw parser.unexpected();
    if (actions.has(clause)) {
      throw parser.refuse(`The "${clause}" section can only be used once in an update expression;`);
    }
    actions.set(
      clause,
      parser.list(() => action(parser, clause)),
    );
  } while (parser.peek().kind !== 'end');
  return [...actions.values()].flat();
}

function action(parser: Parser, kind: (typeof CLAUSES)[number]): Action {
  const path = parser.path();
  if (kind === 'REMOVE') return { kind, path };
  if (kind === 'SET') {
    parser.expect('=');
    return { kind, path, source: sum(parser) };
  }
  const value = parser.value();
  if (!membersOf(value) && !(kind === 'ADD' && 'N' in value)) throw parser.refuseOperand(kind, typeOf(value));
  return { kind, path, value };
}

function sum(parser: Parser): Source {
  const left = source(parser);
  const kind = (['+', '-'] as const).find((sign) => parser.accept(sign));
  if (kind === undefined) return left;
  parser.countOperator();
  const right = source(parser);
  for (const operand of [left, right]) refuseType(parser, kind, operand, 'N');
  return { kind, left, right };
}

function source(parser: Parser): Source {
  if (parser.peek().kind === 'value') return { kind: 'value', value: parser.value() };
  if (parser.peek().kind !== 'name' || parser.peek(1).text !== '(') {
    return { kind: 'path', path: parser.path() };
  }
  const name = parser.take().text;
  if (name !== 'if_not_exists' && name !== 'list_append') {
    throw parser.refuse(`Invalid function name; function: ${name}`);
  }
  parser.countOperator();
  parser.expect('(');
  const operands = parser.list(() => source(parser));
  parser.expect(')');
  const [left, right] = operands;
  if (left === undefined || right === undefined || operands.length > 2) {
    throw parser.refuse(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  if (name === 'if_not_exists') {
    if (left.kind === 'path') return { kind: name, path: left.path, otherwise: right };
    throw parser.refuse(`Operator or function requires a document path; operator or function: ${name}`);
  }
  for (const operand of [left, right]) {
    if (operand.kind === name) {
      throw parser.refuse(
        `The function is not allowed to be used this way in an expression; function: ${name}`,
      );
    }
    refuseType(parser, name, operand, 'L');
  }
  return { kind: name, left, right };
}

function refuseType(parser: Parser, operator: string, operand: Source, type: 'N' | 'L'): void {
  if (operand.kind === 'value' && typeOf(operand.value) !== type) {
    throw parser.refuseOperand(operator, typeOf(operand.value));
  }
}

/** The value at the action's path afterwards; undefined if there is none. */
function resultOf(item: Item, action: Action): AttributeValue | undefined {
  if (action.kind === 'REMOVE') return undefined;
  if (action.kind === 'SET') return evaluate(item, action.source);
  const present = valueAt(item, action.path);
  if (action.kind === 'ADD') return present === undefined ? action.value : added(present, action.value);
  return (
    present &&
    withMembers(present, action.value, (mine, others) => mine.filter((one) => !others.includes(one)))
  );
}

function evaluate(item: Item, source: Source): AttributeValue {
  switch (source.kind) {
    case 'value':
      return source.value;
    case 'if_not_exists':
      return valueAt(item, source.path) ?? evaluate(item, source.otherwise);
    case 'path': {
      const value = valueAt(item, source.path);
      if (value === undefined) {
        throw new InvalidRequest(
          'The provided expression refers to an attribute that does not exist in the item',
        );
      }
      return value;
    }
    case 'list_append': {
      const left = evaluate(item, source.left);
      const right = evaluate(item, source.right);
      if ('L' in left && 'L' in right) return { L: [...left.L, ...right.L] };
      throw wrongOperand();
    }
    case '+':
    case '-':
      return summed(evaluate(item, source.left), evaluate(item, source.right), source.kind);
  }
}

function added(present: AttributeValue, value: AttributeValue): AttributeValue | undefined {
  if ('N' in value) return summed(present, value, '+');
  return withMembers(present, value, (mine, others) => [...new Set([...mine, ...others])]);
}

function summed(left: AttributeValue, right: AttributeValue, sign: '+' | '-'): AttributeValue {
  if (!('N' in left) || !('N' in right)) throw wrongOperand();
  const summand = parseDecimal(right.N);
  return {
    N: formatDecimal(addDecimals(parseDecimal(left.N), sign === '+' ? summand : negateDecimal(summand))),
  };
}

/** A set of the same type with other members; undefined if it is empty, because there are no empty sets. */
function withMembers(
  present: AttributeValue,
  value: AttributeValue,
  combine: (mine: readonly string[], others: readonly string[]) => readonly string[],
): AttributeValue | undefined {
  const mine = membersOf(present);
  const others = membersOf(value);
  if (!mine || !others || typeOf(present) !== typeOf(value)) throw wrongOperand();
  const members = combine(mine, others);
  if (members.length === 0) return undefined;
  return setOf('SS' in present ? 'SS' : 'NS' in present ? 'NS' : 'BS', members);
}

/** A path through a missing value or a non-document is an error, even for a removal. */
function parentExists(item: Item, path: Path): boolean {
  if (path.length === 1) return true;
  const parent = valueAt(item, path.slice(0, -1));
  if (parent && (typeof path.at(-1) === 'number' ? 'L' in parent : 'M' in parent)) return true;
  throw new InvalidRequest('The document path provided in the update expression is invalid for update');
}

const lastStep = ({ path }: { readonly path: Path }): number => {
  const step = path.at(-1);
  return typeof step === 'number' ? step : 0;
};

const wrongOperand = (): InvalidRequest =>
  new InvalidRequest('An operand in the update expression has an incorrect data type');
