/**
 * How many valid tokens an organization has: a number in the organization's item, so that their limit is exact when
 * several are created at the same time. It is absent when it is unknown. Tokens expire without a write, so it can be too
 * high, and is counted again when it reaches the limit.
 */

import * as z from 'zod/mini';
import { allOf, changing, having, updateAt } from './changes.ts';
import { PRESENT } from './items.ts';
import { organizationKey } from './keys.ts';
import type { Table, Write } from './table.ts';

/** `tokenChanges` counts what changed the number of tokens; an organization that never had one, only members, lacks it. */
const countedItem = z.object({ tokenChanges: z.optional(z.number()) });

/** Counts a new token, on condition that the number is known and below the limit. */
export const countToken = (organization: string, limit: number): Write => ({
  Update: updateAt(
    organizationKey(organization),
    {},
    { ConditionExpression: 'tokenCount < :limit', ExpressionAttributeValues: { ':limit': limit } },
    { tokenCount: 1, tokenChanges: 1 },
  ),
});

/** Notes that the number of tokens changes and has to be counted again. */
export const forgetTokenCount = (organization: string): Write => ({
  Update: updateAt(organizationKey(organization), { tokenCount: undefined }, PRESENT, { tokenChanges: 1 }),
});

/** Counts the tokens again with `count`, and stores the number if it did not change meanwhile. Returns the number. */
export async function recountTokens(
  table: Pick<Table, 'get' | 'update'>,
  organization: string,
  count: () => Promise<number>,
): Promise<number> {
  const before = await table.get(organizationKey(organization), countedItem);
  const number = await count();
  if (before === undefined) return number;
  const { tokenChanges } = before;
  const isSame = allOf(PRESENT, having({ tokenChanges }));
  await table.update(organizationKey(organization), changing({ tokenCount: number }, isSame));
  return number;
}
