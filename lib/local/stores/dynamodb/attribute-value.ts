/** Attribute values in DynamoDB's JSON form: one member, named after its type (AWS, "AttributeValue"). */
import { formatDecimal, parseDecimal } from './decimal.ts';
import { InvalidRequest, invalidParameter, notOffered } from './errors.ts';

export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  /** Base64. */
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Item };

export type Item = Readonly<Record<string, AttributeValue>>;

type AllTypes<Value> = Value extends unknown ? keyof Value : never;
export type AttributeType = AllTypes<AttributeValue>;
/** AWS, "Service, account, and table quotas": 32 levels of nesting, the attribute itself being the first. */
const MAX_DEPTH = 31;

export const typeOf = (value: AttributeValue): AttributeType => Object.keys(value)[0] as AttributeType;

/** Reads an own property only, so that an attribute called `constructor` is absent unless it was written. */
export const attribute = (item: Item, name: string): AttributeValue | undefined =>
  Object.hasOwn(item, name) ? item[name] : undefined;

/** Validates the attributes of a request and normalizes their values. */
export function parseItem(raw: Readonly<Record<string, unknown>>, depth = 0): Item {
  if (Object.hasOwn(raw, '')) throw new InvalidRequest('Empty attribute name');
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, parseValue(value, depth)]));
}

/** Throws `InvalidRequest` unless `raw` is exactly one well-formed value. */
export function parseValue(raw: unknown, depth = 0): AttributeValue {
  if (depth > MAX_DEPTH) {
    throw new InvalidRequest(
      'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
    );
  }
  const [[type, content] = [], ...more] = isObject(raw) ? Object.entries(raw) : [];
  if (more.length > 0) {
    throw new InvalidRequest(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  }
  if (type === 'S' && typeof content === 'string') return { S: content };
  if (type === 'N' && typeof content === 'string') return { N: canonicalNumber(content) };
  if (type === 'B' && typeof content === 'string') return { B: canonicalBinary(content) };
  if (type === 'BOOL' && typeof content === 'boolean') return { BOOL: content };
  if (type === 'NULL' && typeof content === 'boolean') return nullValue(content);
  if (type === 'L' && Array.isArray(content)) {
    return { L: content.map((value) => parseValue(value, depth + 1)) };
  }
  if (type === 'M' && isObject(content)) return { M: parseItem(content, depth + 1) };
  if (type === 'SS' || type === 'NS' || type === 'BS') throw notOffered('sets');
  throw new InvalidRequest(
    'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
  );
}

/** Deep equality of normalized values. */
export function equalValues(left: AttributeValue, right: AttributeValue): boolean {
  if (typeOf(left) !== typeOf(right)) return false;
  if ('L' in left && 'L' in right) {
    const { L: others } = right;
    return left.L.length === others.length && left.L.every((value, index) => equalsAt(value, others[index]));
  }
  if ('M' in left && 'M' in right) return equalItems(left.M, right.M);
  return Object.values(left)[0] === Object.values(right)[0];
}

function equalItems(left: Item, right: Item): boolean {
  const attributes = Object.entries(left);
  return (
    attributes.length === Object.keys(right).length &&
    attributes.every(([name, value]) => equalsAt(value, attribute(right, name)))
  );
}

const equalsAt = (left: AttributeValue, right: AttributeValue | undefined): boolean =>
  right !== undefined && equalValues(left, right);

const canonicalNumber = (text: string): string => formatDecimal(parseDecimal(text));

function canonicalBinary(text: string): string {
  const canonical = Buffer.from(text, 'base64').toString('base64');
  if (canonical.replaceAll('=', '') !== text.replaceAll('=', '')) {
    throw new InvalidRequest('Base64 encoded content is expected in a binary value');
  }
  return canonical;
}

const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

function nullValue(content: boolean): AttributeValue {
  if (!content) throw invalidParameter('Null attribute value types must have the value of true');
  return { NULL: true };
}
