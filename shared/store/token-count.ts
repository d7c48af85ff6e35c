/**
 * How many valid tokens an organization has: a number in the organization's item, so that their limit is exact when
 * several are created at the same time. It is absent when it is unknown. Tokens expire without a write, so it can be too
 * high, and is counted again when it reaches the limit.
 */
import * as z from 'zod/mini';
import { PRESENT } from './items.ts';
import { organizationKey } from './keys.ts';
import type { Table, Write } from './table.ts';

/** `tokenChanges` counts what changed the number of tokens; an organization that never had one, only members, lacks it. */
const countedItem = z.object({ tokenChanges: z.optional(z.number()) });

/** Counts a new token, on condition that the number is known and below the limit. */
export const countToken = (organization: string, limit: number): Write => ({
  Update: {
    Key: organizationKey(organization),
    UpdateExpression: 'ADD tokenCount :one, tokenChanges :one',
    ConditionExpression: 'tokenCount < :limit',
    ExpressionAttributeValues: { ':one': 1, ':limit': limit },
  },
});

/** Notes that the number of tokens changes and has to be counted again. */
export const forgetTokenCount = (organization: string): Write => ({
  Update: {
    Key: organizationKey(organization),
    UpdateExpression: 'REMOVE tokenCount ADD tokenChanges :one',
    ...PRESENT,
    ExpressionAttributeValues: { ':one': 1 },
  },
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
  await table.update(organizationKey(organization), {
    UpdateExpression: 'SET tokenCount = :number',
    ConditionExpression:
      tokenChanges === undefined
        ? 'attribute_exists(pk) AND attribute_not_exists(tokenChanges)'
        : 'tokenChanges = :changes',
    ExpressionAttributeValues: {
      ':number': number,
      ...(tokenChanges !== undefined && { ':changes': tokenChanges }),
    },
  });
  return number;
}
