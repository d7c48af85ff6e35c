/** Evaluates a condition for an item. Comparisons with a missing attribute are false, except `<>`, which is true. */
import { type AttributeValue, equalValues, type Item } from '../attribute-value.ts';
import { compareValues } from '../order.ts';
import { valueAt } from './paths.ts';
import type { Comparator, Condition, Operand } from './syntax.ts';

export function holds(condition: Condition, item: Item): boolean {
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item) && holds(condition.right, item);
    case 'or':
      return holds(condition.left, item) || holds(condition.right, item);
    case 'compare':
      return compares(condition.comparator, resolve(condition.left, item), resolve(condition.right, item));
    case 'between': {
      const value = resolve(condition.operand, item);
      return (
        compares('>=', value, resolve(condition.low, item)) &&
        compares('<=', value, resolve(condition.high, item))
      );
    }
    case 'attribute_exists':
      return valueAt(item, condition.path) !== undefined;
    case 'attribute_not_exists':
      return valueAt(item, condition.path) === undefined;
    case 'begins_with':
      return beginsWith(resolve(condition.operand, item), resolve(condition.part, item));
  }
}

function resolve(operand: Operand, item: Item): AttributeValue | undefined {
  if (operand.kind === 'value') return operand.value;
  return valueAt(item, operand.path);
}

function compares(comparator: Comparator, left?: AttributeValue, right?: AttributeValue): boolean {
  if (left === undefined || right === undefined) return comparator === '<>';
  if (comparator === '=') return equalValues(left, right);
  if (comparator === '<>') return !equalValues(left, right);
  const order = compareValues(left, right);
  if (order === undefined) return false;
  if (comparator === '<') return order < 0;
  if (comparator === '<=') return order <= 0;
  return comparator === '>' ? order > 0 : order >= 0;
}

function beginsWith(whole?: AttributeValue, part?: AttributeValue): boolean {
  if (whole && part && 'S' in whole && 'S' in part) return whole.S.startsWith(part.S);
  if (!whole || !part || !('B' in whole) || !('B' in part)) return false;
  const beginning = Buffer.from(part.B, 'base64');
  return Buffer.from(whole.B, 'base64').subarray(0, beginning.length).equals(beginning);
}
