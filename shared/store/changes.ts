/**
 * Changes of items and their conditions, described by attributes. Conditions that are written out have names of values that no
 * attribute has.
 */
import { ABSENT, type Change, type Condition } from './items.ts';
import type { Key } from './keys.ts';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * The change that sets attributes, removes those that are undefined, and adds to numbers. Its condition can use a new value
 * as `:<name>`.
 */
export function changing(
  set: Attributes,
  { ConditionExpression, ...given }: Condition = {},
  add: Readonly<Record<string, number>> = {},
): Change {
  const terms = { SET: [] as string[], REMOVE: [] as string[], ADD: [] as string[] };
  for (const [name, alias, value] of aliased({ ...set, ...add })) {
    if (Object.hasOwn(add, name)) terms.ADD.push(`#${alias} :${alias}`);
    else if (value === undefined) terms.REMOVE.push(`#${alias}`);
    else terms.SET.push(`#${alias} = :${alias}`);
  }
  const clauses = Object.entries(terms).filter(([, some]) => some.length > 0);
  return {
    UpdateExpression: clauses.map(([word, some]) => `${word} ${some.join(', ')}`).join(' '),
    ...(ConditionExpression !== undefined && { ConditionExpression }),
    ...placeholders({ ...set, ...add }, '', given),
  };
}

/** The same with the key of the item, for a transaction. */
export const updateAt = (
  Key: Key,
  ...change: Parameters<typeof changing>
): Change & { readonly Key: Key } => ({ Key, ...changing(...change) });

/** The condition that attributes have these values; undefined: that they are absent. */
export function having(before: Attributes): Condition {
  const terms = aliased(before, '_before').map(([, alias, value]) =>
    value === undefined ? `attribute_not_exists(#${alias})` : `#${alias} = :${alias}_before`,
  );
  return { ConditionExpression: terms.join(' AND '), ...placeholders(before, '_before') };
}

/**
 * The condition that an item with a `revision` counter did not change since it was read. 0 means that it did not exist.
 */
export const unchangedSince = (revision: number): Condition =>
  revision === 0 ? ABSENT : having({ revision });

/** The condition that several conditions hold. Only one may have names that are no words. */
export const allOf = (...conditions: readonly Condition[]): Condition => ({
  ConditionExpression: conditions.map((one) => `(${one.ConditionExpression})`).join(' AND '),
  ...withoutEmpty({
    ExpressionAttributeNames: Object.assign({}, ...conditions.map((one) => one.ExpressionAttributeNames)),
    ExpressionAttributeValues: Object.assign({}, ...conditions.map((one) => one.ExpressionAttributeValues)),
  }),
});

type Placeholders = Pick<Condition, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

/** The names and values of attributes as expressions refer to them, beside others. */
function placeholders(attributes: Attributes, suffix: string, others: Placeholders = {}): Placeholders {
  const all = aliased(attributes, suffix);
  const present = all.filter(([, , value]) => value !== undefined);
  return withoutEmpty({
    ExpressionAttributeNames: {
      ...Object.fromEntries(all.map(([name, alias]) => [`#${alias}`, name])),
      ...others.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ...Object.fromEntries(present.map(([, alias, value]) => [`:${alias}${suffix}`, value])),
      ...others.ExpressionAttributeValues,
    },
  });
}

/** Attributes with the aliases of their names: the name itself if it has only letters, digits and `_`, otherwise a number. */
const aliased = (attributes: Attributes, suffix = '') =>
  Object.entries(attributes).map(
    ([name, value], at) => [name, /^[A-Za-z]\w*$/.test(name) ? name : `${at}${suffix}`, value] as const,
  );

/** DynamoDB rejects lists of placeholders without any. */
const withoutEmpty = (lists: Required<Placeholders>): Placeholders =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => Object.keys(list).length > 0));
