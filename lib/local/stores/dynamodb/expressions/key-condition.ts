/** Conditions on the key of a Query: the partition, and a range of its sort keys (AWS, "Key condition expressions"). */
import type { AttributeValue } from '../attribute-value.ts';
import { emptyKey, InvalidRequest, invalidParameter } from '../errors.ts';
import { behind, encode, encodeBeginning } from '../order.ts';
import type { Keys } from '../tables.ts';
import type { Comparator, Condition, Operand } from './syntax.ts';

interface KeyTest {
  readonly attribute: string;
  readonly operator: Comparator | 'between' | 'begins_with';
  readonly value: AttributeValue;
  /** The upper bound of `between`. */
  readonly high?: AttributeValue;
}

/**
 * The key range that fulfils the condition. Throws `InvalidRequest` if the condition does not apply to these keys.
 */
export function keyRange(condition: Condition, keys: Keys): { readonly from: Buffer; readonly to: Buffer } {
  const tests = testsOf(condition);
  if (new Set(tests.map(({ attribute }) => attribute)).size < tests.length) {
    throw new InvalidRequest('KeyConditionExpressions must only contain one condition per key');
  }
  for (const { attribute, value, high } of tests)
    if ([value, high].some((one) => one !== undefined && 'S' in one && one.S === ''))
      throw emptyKey(attribute);
  const [hash, range] = keys;
  const partition = tests.find(({ attribute }) => attribute === hash.name);
  const sort = range && tests.find(({ attribute }) => attribute === range.name);
  if (!partition) throw new InvalidRequest(`Query condition missed key schema element: ${hash.name}`);
  if (range && tests.length === 2 && !sort) {
    throw new InvalidRequest(`Query condition missed key schema element: ${range.name}`);
  }
  if (partition.operator !== '=' || tests.length > (sort ? 2 : 1)) {
    throw new InvalidRequest('Query key condition not supported');
  }
  const prefix = encode(text(partition.value));
  if (!range || !sort) return { from: prefix, to: behind(prefix) };
  return sortRange(prefix, sort);
}

/** The attributes that a condition refers to. */
export function attributesIn(condition: Condition): ReadonlySet<string> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return new Set([...attributesIn(condition.left), ...attributesIn(condition.right)]);
    case 'compare':
      return attributesOf(condition.left, condition.right);
    case 'between':
      return attributesOf(condition.operand, condition.low, condition.high);
    case 'begins_with':
      return attributesOf(condition.operand, condition.part);
    default:
      return new Set([condition.path[0] ?? '']);
  }
}

function sortRange(prefix: Buffer, { operator, value, high }: KeyTest) {
  const end = behind(prefix);
  if (operator === 'begins_with') {
    const beginning = Buffer.concat([prefix, encodeBeginning(text(value))]);
    return { from: beginning, to: behind(beginning) };
  }
  const at = Buffer.concat([prefix, encode(text(value))]);
  switch (operator) {
    case '<':
      return { from: prefix, to: at };
    case '<=':
      return { from: prefix, to: behind(at) };
    case '>':
      return { from: behind(at), to: end };
    case '>=':
      return { from: at, to: end };
    case 'between':
      return { from: at, to: behind(Buffer.concat([prefix, encode(text(high ?? value))])) };
    default:
      return { from: at, to: behind(at) };
  }
}

function testsOf(condition: Condition): readonly KeyTest[] {
  if (condition.kind === 'and') return [...testsOf(condition.left), ...testsOf(condition.right)];
  if (condition.kind === 'compare' && condition.comparator !== '<>') {
    const { comparator, left, right } = condition;
    return left.kind === 'value'
      ? [{ attribute: keyName(right), operator: MIRRORED[comparator], value: constant(left) }]
      : [{ attribute: keyName(left), operator: comparator, value: constant(right) }];
  }
  if (condition.kind === 'between') {
    const { operand, low, high } = condition;
    return [{ attribute: keyName(operand), operator: 'between', value: constant(low), high: constant(high) }];
  }
  if (condition.kind === 'begins_with') {
    return [
      { attribute: keyName(condition.operand), operator: 'begins_with', value: constant(condition.part) },
    ];
  }
  const operator = condition.kind === 'compare' ? condition.comparator : condition.kind;
  throw new InvalidRequest(
    `Invalid operator used in KeyConditionExpression: ${operator === 'or' ? 'OR' : operator}`,
  );
}

/** The operator after its operands are swapped. */
const MIRRORED = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=', '<>': '<>' } as const;

function keyName(operand: Operand): string {
  if (operand.kind !== 'path') {
    throw new InvalidRequest('Invalid condition in KeyConditionExpression: No key attribute specified');
  }
  if (operand.path.length > 1) {
    throw new InvalidRequest('KeyConditionExpressions cannot have conditions on nested attributes');
  }
  return operand.path[0] ?? '';
}

function constant(operand: Operand): AttributeValue {
  if (operand.kind === 'value') return operand.value;
  throw new InvalidRequest(
    'Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition',
  );
}

function text(value: AttributeValue): string {
  if ('S' in value) return value.S;
  throw invalidParameter('Condition parameter type does not match schema type');
}

const attributesOf = (...operands: readonly Operand[]): ReadonlySet<string> =>
  new Set(operands.flatMap((operand) => (operand.kind === 'value' ? [] : (operand.path[0] ?? ''))));
