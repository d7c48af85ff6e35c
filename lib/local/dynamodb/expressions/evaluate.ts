/** Evaluates a condition for an item. Comparisons with a missing attribute are false, except `<>`, which is true. */
import { type AttributeValue, equalValues, type Item, membersOf, typeOf } from '../attribute-value.ts';
import { compareValues } from '../order.ts';
import { valueAt } from './paths.ts';
import type { Comparator, Condition, Operand } from './syntax.ts';

export function holds(condition: Condition, item: Item): boolean {
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item) && holds(condition.right, item);
    case 'or':
      return holds(condition.left, item) || holds(condition.right, item);
    case 'not':
      return !holds(condition.condition, item);
    case 'compare':
      return compares(condition.comparator, resolve(condition.left, item), resolve(condition.right, item));
    case 'between': {
      const value = resolve(condition.operand, item);
      return (
        compares('>=', value, resolve(condition.low, item)) &&
        compares('<=', value, resolve(condition.high, item))
      );
    }
    case 'in': {
      const value = resolve(condition.operand, item);
      return condition.list.some((member) => compares('=', value, resolve(member, item)));
    }
    case 'attribute_exists':
      return valueAt(item, condition.path) !== undefined;
    case 'attribute_not_exists':
      return valueAt(item, condition.path) === undefined;
    case 'attribute_type': {
      const value = valueAt(item, condition.path);
      return value !== undefined && typeOf(value) === condition.type;
    }
    case 'begins_with':
      return beginsWith(resolve(condition.operand, item), resolve(condition.part, item));
    case 'contains':
      return contains(resolve(condition.operand, item), resolve(condition.part, item));
  }
}

function resolve(operand: Operand, item: Item): AttributeValue | undefined {
  if (operand.kind === 'value') return operand.value;
  const value = valueAt(item, operand.path);
  return operand.kind === 'path' || value === undefined ? value : sizeOf(value);
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

/** Characters of a string, bytes of a binary, members of a collection; undefined for other types. */
function sizeOf(value: AttributeValue): AttributeValue | undefined {
  const members = 'L' in value ? value.L : 'M' in value ? Object.keys(value.M) : membersOf(value);
  if (members) return { N: String(members.length) };
  if ('S' in value) return { N: String(value.S.length) };
  return 'B' in value ? { N: String(Buffer.byteLength(value.B, 'base64')) } : undefined;
}

function beginsWith(whole?: AttributeValue, part?: AttributeValue): boolean {
  if (whole && part && 'S' in whole && 'S' in part) return whole.S.startsWith(part.S);
  if (!whole || !part || !('B' in whole) || !('B' in part)) return false;
  const beginning = Buffer.from(part.B, 'base64');
  return Buffer.from(whole.B, 'base64').subarray(0, beginning.length).equals(beginning);
}

function contains(whole?: AttributeValue, part?: AttributeValue): boolean {
  if (!whole || !part) return false;
  if ('S' in whole && 'S' in part) return whole.S.includes(part.S);
  if ('B' in whole && 'B' in part) {
    return Buffer.from(whole.B, 'base64').includes(Buffer.from(part.B, 'base64'));
  }
  if ('L' in whole) return whole.L.some((member) => equalValues(member, part));
  if ('SS' in whole && 'S' in part) return whole.SS.includes(part.S);
  if ('NS' in whole && 'N' in part) return whole.NS.includes(part.N);
  return 'BS' in whole && 'B' in part && whole.BS.includes(part.B);
}
