/** Updates of items that are described by the attributes that change. */
import type { Change, Condition } from './items.ts';
import type { Key } from './keys.ts';

/** The update of the item with a key by `change`. Removes the attributes that are undefined in it. */
export function updateAt(
  Key: Key,
  change: Readonly<Record<string, unknown>>,
  { ConditionExpression, ExpressionAttributeValues }: Condition,
): Change & { readonly Key: Key } {
  const names = Object.keys(change);
  const set = names.filter((name) => change[name] !== undefined);
  const gone = names.filter((name) => change[name] === undefined);
  const removal = gone.length === 0 ? '' : ` REMOVE ${gone.map((name) => `#${name}`).join(', ')}`;
  return {
    Key,
    UpdateExpression: `SET ${set.map((name) => `#${name} = :${name}`).join(', ')}${removal}`,
    ConditionExpression,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(set.map((name) => [`:${name}`, change[name]])),
      ...ExpressionAttributeValues,
    },
  };
}
