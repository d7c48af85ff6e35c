/** Writes and conditions for transactions that concern a domain. */

import { domainKey, organizationKey } from '../keys.ts';
import type { Table, TransactItems } from '../table.ts';
import type { Domain, DomainReference } from './domains.ts';

/**
 * The condition that a domain is still registered. Every transaction that writes to the domain's partition contains it,
 * so nothing is written after the domain is removed.
 */
export function isRegistered(table: Table, { organization, id }: DomainReference): TransactItems[number] {
  return {
    ConditionCheck: {
      TableName: table.name,
      Key: domainKey(organization, id),
      ConditionExpression: 'attribute_exists(pk)',
    },
  };
}

/** Changes the organization's domain count. Adding fails at the limit. */
export function countDomains(table: Table, organization: string, by: 1 | -1, defaultLimit?: number) {
  const base = {
    TableName: table.name,
    Key: { ...organizationKey(organization) },
    UpdateExpression: 'ADD domainCount :by',
  };
  if (defaultLimit === undefined) return { Update: { ...base, ExpressionAttributeValues: { ':by': by } } };
  return {
    Update: {
      ...base,
      // A comparison with a missing attribute is false, so each clause covers one case.
      ConditionExpression:
        'domainCount < domainLimit OR (attribute_not_exists(domainLimit) AND domainCount < :default)',
      ExpressionAttributeValues: { ':by': by, ':default': defaultLimit },
    },
  };
}

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

export const REGISTERED: Condition = { ConditionExpression: 'attribute_exists(pk)' };

export function sameBadge({ badgeToken }: Domain): Condition {
  return badgeToken === undefined
    ? { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(badgeToken)' }
    : { ConditionExpression: 'badgeToken = :badge', ExpressionAttributeValues: { ':badge': badgeToken } };
}

/**
 * The domain did not change since it was read. Two changes can have the same millisecond; the badge token tells them
 * apart.
 */
export function unchanged(domain: Domain): Condition {
  const { ConditionExpression, ExpressionAttributeValues } = sameBadge(domain);
  return {
    ConditionExpression: `updatedAt = :read AND ${ConditionExpression}`,
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':read': domain.updatedAt },
  };
}

/** The update of a domain by `change`. Removes the attributes that are undefined in it. */
export function updateOf(
  table: Table,
  { organization, id }: DomainReference,
  change: Readonly<Record<string, unknown>>,
  { ConditionExpression, ExpressionAttributeValues }: Condition,
) {
  const names = Object.keys(change);
  const set = names.filter((name) => change[name] !== undefined);
  const gone = names.filter((name) => change[name] === undefined);
  const removal = gone.length === 0 ? '' : ` REMOVE ${gone.map((name) => `#${name}`).join(', ')}`;
  return {
    TableName: table.name,
    Key: domainKey(organization, id),
    UpdateExpression: `SET ${set.map((name) => `#${name} = :${name}`).join(', ')}${removal}`,
    ConditionExpression,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(set.map((name) => [`:${name}`, change[name]])),
      ...ExpressionAttributeValues,
    },
  };
}
