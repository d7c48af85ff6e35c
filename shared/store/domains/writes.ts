/** Writes and conditions for transactions that concern a domain. */

import { having, updateAt } from '../changes.ts';
import { type Condition, PRESENT } from '../items.ts';
import { domainKey, organizationKey } from '../keys.ts';
import type { Write } from '../table.ts';
import type { Domain, DomainReference } from './domain.ts';

/**
 * The condition that a domain is still registered. Every transaction that writes to the domain's partition contains it,
 * so nothing is written after the domain is removed.
 */
export function isRegistered({ organization, id }: DomainReference): Write {
  return { ConditionCheck: { Key: domainKey(organization, id), ...PRESENT } };
}

/** The condition that a domain is still registered, and that its latest check run was at this time. */
export function isCheckedAt({ organization, id }: DomainReference, checkedAt: string): Write {
  return { ConditionCheck: { Key: domainKey(organization, id), ...having({ lastCheckedAt: checkedAt }) } };
}

/** Changes the organization's domain count. Adding fails at the limit. */
export function countDomains(organization: string, by: 1 | -1, defaultLimit?: number): Write {
  // A comparison with a missing attribute is false, so each clause covers one case.
  const isBelow: Condition = {
    ConditionExpression:
      'domainCount < domainLimit OR (attribute_not_exists(domainLimit) AND domainCount < :default)',
    ExpressionAttributeValues: { ':default': defaultLimit },
  };
  const condition = defaultLimit === undefined ? {} : isBelow;
  return { Update: updateAt(organizationKey(organization), {}, condition, { domainCount: by }) };
}

/**
 * The domain did not change since it was read. Two changes can have the same millisecond; the badge token tells them
 * apart.
 */
export const unchanged = ({ updatedAt, badgeToken }: Domain): Condition => having({ updatedAt, badgeToken });

/** The update of a domain by `change`. Removes the attributes that are undefined in it. */
export const updateOf = (
  { organization, id }: DomainReference,
  change: Readonly<Record<string, unknown>>,
  condition: Condition,
) => updateAt(domainKey(organization, id), change, condition);
