/** Update expressions (AWS, "Update expressions"): every action reads the item as it was before the update. */
import { type AttributeValue, type Item, typeOf } from '../attribute-value.ts';
import { addDecimals, formatDecimal, parseDecimal } from '../decimal.ts';
import { InvalidRequest, notOffered } from '../errors.ts';
import { Parser, type Placeholders } from './parser.ts';
import { refuseOverlaps, valueAt, withValueAt } from './paths.ts';
import type { Action, Path, Source } from './syntax.ts';

const WHAT = 'UpdateExpression';
const CLAUSES = ['SET', 'REMOVE', 'ADD'] as const;

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
  const after = changes.reduce(
    (next, { path, value }) => (value ? withValueAt(next, path, value) : next),
    item,
  );
  // Values that do not exist need no removal.
  return changes
    .filter(
      ({ path, value }) =>
        value === undefined && parentExists(item, path) && valueAt(item, path) !== undefined,
    )
    .reduce((next, { path }) => withValueAt(next, path, undefined), after);
}

function clauses(parser: Parser): readonly Action[] {
  const actions = new Map<string, readonly Action[]>();
  do {
    if (parser.accept('DELETE')) throw notOffered('DELETE in updates');
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
  if (!('N' in value)) throw parser.refuseOperand(kind, typeOf(value));
  return { kind, path, value };
}

function sum(parser: Parser): Source {
  const left = parser.operand();
  if (parser.accept('-')) throw notOffered('subtraction');
  if (!parser.accept('+')) return left;
  parser.countOperator();
  const right = parser.operand();
  for (const operand of [left, right]) {
    if (operand.kind === 'value' && !('N' in operand.value)) {
      throw parser.refuseOperand('+', typeOf(operand.value));
    }
  }
  return { kind: '+', left, right };
}

/** The value at the action's path afterwards; undefined if there is none. */
function resultOf(item: Item, action: Action): AttributeValue | undefined {
  if (action.kind === 'REMOVE') return undefined;
  if (action.kind === 'SET') return evaluate(item, action.source);
  const present = valueAt(item, action.path);
  return present === undefined ? action.value : summed(present, action.value);
}

function evaluate(item: Item, source: Source): AttributeValue {
  if (source.kind === 'value') return source.value;
  if (source.kind === '+') return summed(evaluate(item, source.left), evaluate(item, source.right));
  const value = valueAt(item, source.path);
  if (value !== undefined) return value;
  throw new InvalidRequest('The provided expression refers to an attribute that does not exist in the item');
}

function summed(left: AttributeValue, right: AttributeValue): AttributeValue {
  if ('N' in left && 'N' in right) {
    return { N: formatDecimal(addDecimals(parseDecimal(left.N), parseDecimal(right.N))) };
  }
  throw new InvalidRequest('An operand in the update expression has an incorrect data type');
}

/** A path through a missing value or a non-document is an error, even for a removal. */
function parentExists(item: Item, path: Path): boolean {
  if (path.length === 1) return true;
  const parent = valueAt(item, path.slice(0, -1));
  if (parent && 'M' in parent) return true;
  throw new InvalidRequest('The document path provided in the update expression is invalid for update');
}
