/** Random requests for a table with string keys and one index: most are valid, some break a rule. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { random } from '../../kit/random.ts';

export interface RandomRequest {
  readonly operation: 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'GetItem' | 'Query' | 'TransactWriteItems';
  // biome-ignore lint/suspicious/noExplicitAny: parameters of any of the operations
  readonly input: any;
}

type Attributes = Record<string, AttributeValue>;

const STRINGS = ['', 'a', 'b', 'B', 'ä', '💌', 'a#b', '\0', 'a\u0001', '\uffff', 'long'.repeat(30)];
/** As DynamoDB prints them, because DynamoDB Local returns some as written; the last three are invalid. */
const NUMBERS = '0 1 -1 10 1.5 100 0.001 12345678901234567890123456789012345678 1e126 1e-131 abc'.split(' ');
const NAMES = ['n', 'm', 'l', 's', 'x', 'version'];
const KEYS = ['pk', 'sk', 'gsi1pk', 'gsi1sk'];
export const PARTITIONS = ['P', 'Q', 'DOMAIN#1'];
const SORT_KEYS = ['a', 'a#1', 'a#2', 'b', 'B', 'ä', '💌', '\uffff'];

export class RandomRequests {
  readonly #below: (limit: number) => number;
  readonly #table: string;
  /** Last evaluated keys of earlier responses. */
  readonly starts: Attributes[] = [];

  constructor(table: string, seed: number) {
    this.#table = table;
    this.#below = random(seed);
  }

  next(): RandomRequest {
    const kind = this.#below(20);
    if (kind < 4) return { operation: 'PutItem', input: this.#put() };
    if (kind < 10) {
      const returned = this.#chance(60) ? { ReturnValues: this.#pick(['ALL_NEW', 'NONE']) } : {};
      return { operation: 'UpdateItem', input: { ...this.#update(), ...returned } };
    }
    if (kind < 12) return { operation: 'DeleteItem', input: this.#remove() };
    if (kind < 13) {
      return {
        operation: 'GetItem',
        input: { TableName: this.#table, Key: this.#key(), ConsistentRead: true },
      };
    }
    if (kind < 17) return { operation: 'Query', input: this.#query() };
    return { operation: 'TransactWriteItems', input: { TransactItems: this.#some(4, () => this.#action()) } };
  }

  #action() {
    switch (this.#below(4)) {
      case 0:
        return { Put: this.#put() };
      case 1:
        return { Update: this.#update() };
      case 2:
        return { Delete: this.#remove() };
      default: {
        const expressions = new Expressions();
        const ConditionExpression = this.#condition(expressions);
        const to = { TableName: this.#table, Key: this.#key() };
        return { ConditionCheck: { ...to, ConditionExpression, ...expressions.placeholders() } };
      }
    }
  }

  #put() {
    return { TableName: this.#table, Item: this.#item(), ...this.#conditional(new Expressions()) };
  }

  #remove() {
    return { TableName: this.#table, Key: this.#key(), ...this.#conditional(new Expressions()) };
  }

  #update() {
    const expressions = new Expressions();
    const UpdateExpression = this.#changes(expressions);
    return { TableName: this.#table, Key: this.#key(), UpdateExpression, ...this.#conditional(expressions) };
  }

  #query() {
    const expressions = new Expressions();
    const [index, hash, range] = this.#chance(40)
      ? [{ IndexName: 'gsi1' }, 'gsi1pk', 'gsi1sk']
      : [{ ConsistentRead: true }, 'pk', 'sk'];
    const value = (one: string) => expressions.value({ S: one });
    // No pages of sort key ranges: DynamoDB Local handles a page that ends with its range differently.
    const limit = this.#chance(40) && { Limit: 1 + this.#below(4) };
    const start = this.#chance(25) &&
      this.starts.length > 0 && { ExclusiveStartKey: this.#pick(this.starts) };
    const sort = this.#pick([
      () => '',
      () => ` AND begins_with(${range}, ${value('a')})`,
      () => ` AND ${range} ${this.#pick(['=', '<', '<=', '>', '>='])} ${value(this.#pick(SORT_KEYS))}`,
      () => ` AND ${range} BETWEEN ${value('a')} AND ${value(this.#pick(SORT_KEYS))}`,
    ]);
    return {
      TableName: this.#table,
      ...index,
      KeyConditionExpression: `${hash} = ${value(this.#pick(PARTITIONS))}${start || limit ? '' : sort()}`,
      ...(this.#chance(25) && { FilterExpression: this.#condition(expressions) }),
      ...(this.#chance(20) && { ProjectionExpression: expressions.name(this.#pick(NAMES)) }),
      ...limit,
      ...(this.#chance(40) && { ScanIndexForward: false }),
      ...start,
      ...expressions.placeholders(),
    };
  }

  #conditional(expressions: Expressions) {
    const condition = this.#chance(50) ? { ConditionExpression: this.#condition(expressions) } : {};
    return { ...condition, ...expressions.placeholders() };
  }

  #condition(expressions: Expressions, depth = 0): string {
    const path = () => this.#path(expressions);
    const operand = () => (this.#chance(70) ? path() : expressions.value(this.#value()));
    const inner = () => this.#condition(expressions, depth + 1);
    return this.#pick([
      () => `attribute_exists(${path()})`,
      () => `attribute_not_exists(${path()})`,
      () => `${path()} ${this.#comparator()} ${operand()}`,
      () => `${operand()} ${this.#comparator()} ${expressions.value(this.#value())}`,
      ...(depth > 2 ? [] : [() => `(${inner()}) AND ${inner()}`, () => `${inner()} OR ${inner()}`]),
    ])();
  }

  /**
   * Always with SET or ADD, and never of key attributes: DynamoDB Local creates an item even if an update only removes
   * attributes, and does not check the keys of an index.
   */
  #changes(expressions: Expressions): string {
    const set = () => {
      const source = this.#pick([
        () => expressions.value(this.#value()),
        () => this.#path(expressions, NAMES),
        () => `${this.#path(expressions, NAMES)} + ${expressions.value({ N: this.#pick(NUMBERS) })}`,
      ]);
      return `${this.#path(expressions, NAMES)} = ${source()}`;
    };
    const add = () => `${this.#pick(NAMES)} ${expressions.value({ N: this.#pick(NUMBERS) })}`;
    const first = this.#chance(70) ? `SET ${this.#some(2, set).join(', ')}` : `ADD ${add()}`;
    return this.#chance(30) ? `${first} REMOVE ${this.#path(expressions, NAMES)}` : first;
  }

  #path(expressions: Expressions, names = this.#chance(85) ? NAMES : KEYS): string {
    const base = expressions.name(this.#pick(names), this.#chance(15));
    return this.#chance(80) ? base : `${base}${this.#pick(['.a', '.a.b', '.#undefined'])}`;
  }

  #item(): Attributes {
    const key = this.#key();
    const attributes = this.#some(5, () => [this.#pick(NAMES), this.#value()] as const);
    const indexed = {
      gsi1pk: this.#chance(95) ? { S: this.#pick(PARTITIONS) } : this.#value(),
      // Different for each item, because DynamoDB has no order for equal keys of an index.
      gsi1sk: this.#chance(95) ? { S: `${key.sk?.S}${key.pk?.S}` } : { BOOL: true },
    };
    return { ...key, ...Object.fromEntries(attributes), ...(this.#chance(50) && indexed) };
  }

  #key(): Attributes {
    if (this.#chance(97)) return { pk: { S: this.#pick(PARTITIONS) }, sk: { S: this.#pick(SORT_KEYS) } };
    return this.#pick<Attributes>([
      { pk: { S: 'P' } },
      { pk: { S: '' }, sk: { S: 'a' } },
      { pk: { N: '1' }, sk: { S: 'a' } },
      {},
    ]);
  }

  #value(depth = 0): AttributeValue {
    const simple: (() => AttributeValue)[] = [
      () => ({ S: this.#pick(STRINGS) }),
      () => ({ N: this.#pick(NUMBERS) }),
      () => ({ BOOL: this.#chance(50) }),
      () => ({ NULL: true }),
      () => ({ B: Uint8Array.from(this.#some(4, () => this.#below(256))) }),
    ];
    const nested: (() => AttributeValue)[] = [
      () => ({ L: this.#some(3, () => this.#value(depth + 1)) }),
      () => ({
        M: Object.fromEntries(
          this.#some(3, () => [this.#pick(['a', 'b', 'c', '']), this.#value(depth + 1)] as const),
        ),
      }),
    ];
    return this.#pick(depth > 1 ? simple : [...simple, ...nested])();
  }

  #comparator = (): string => this.#pick(['=', '<>', '<', '<=', '>', '>=']);

  #chance = (percent: number): boolean => this.#below(100) < percent;

  #pick = <One>(list: readonly One[]): One => list[this.#below(list.length)] as One;

  #some = <One>(most: number, one: () => One): One[] =>
    Array.from({ length: 1 + this.#below(most) }, () => one());
}

/** The placeholders of a request's expressions. */
class Expressions {
  readonly #names: Record<string, string> = {};
  readonly #values: Attributes = {};

  name(name: string, bare = false): string {
    if (bare) return name;
    const placeholder = `#n${Object.keys(this.#names).length}`;
    this.#names[placeholder] = name;
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  placeholders() {
    return {
      ...(Object.keys(this.#names).length > 0 && { ExpressionAttributeNames: this.#names }),
      ...(Object.keys(this.#values).length > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }
}
