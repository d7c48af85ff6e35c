/** What of the table moves with organizations, and when each item gets there. */
import * as z from 'zod/mini';
import { type Item, parseItem } from '../../store/item-schema.ts';
import {
  badgeKey,
  deliveryKey,
  deliveryListKey,
  domainPartition,
  domainsOf,
  indexPartitions,
  mailboxKey,
  membershipKey,
  organizationListKey,
  partitions,
  type Range,
  testedSelectorsKey,
  tokenKey,
  tokensOf,
} from '../../store/keys.ts';
import { keyOf } from './portable.ts';

type Partition = keyof typeof partitions;

/**
 * Whose the items of each kind of partition are. `organization`: they move with it. `everybody`: results that anybody saved,
 * which move with all organizations. `service`: they stay, because they expire soon or belong to the host.
 */
export const owners: Readonly<Record<Partition, 'organization' | 'everybody' | 'service'>> = {
  layout: 'service',
  'page-keys': 'service',
  // What they signed can be verified on the other host.
  'signing-keys': 'everybody',
  tokens: 'organization',
  'token-uses': 'organization',
  'organization-list': 'organization',
  audit: 'organization',
  idempotency: 'service',
  people: 'organization',
  // They expire soon, and their links lead to the other host.
  invitations: 'service',
  sessions: 'service',
  organizations: 'organization',
  secrets: 'organization',
  mailboxes: 'organization',
  'fetched-mailboxes': 'organization',
  'mailbox-secrets': 'organization',
  'domain-data': 'organization',
  'tested-selectors': 'organization',
  deletions: 'service',
  'spf-shares': 'everybody',
  'domain-checks': 'everybody',
  badges: 'organization',
  'test-sessions': 'service',
  'rate-limits': 'service',
  deliveries: 'organization',
  'delivery-lists': 'organization',
  directory: 'organization',
  'report-sums': 'organization',
};

/** Partitions that are an organization's as a whole, besides the one from which the others follow. */
const WHOLE = [
  ...(['token-uses', 'audit', 'secrets', 'fetched-mailboxes', 'mailbox-secrets'] as const),
  ...(['delivery-lists', 'directory', 'report-sums'] as const),
] as const;

const whole = (pk: string): Range => ({ pk, prefix: '' });

/** What says where everything else of an organization is. */
export const rootsOf = (organization: string): readonly Range[] => [
  whole(`${partitions.organizations}${organization}`),
  whole(deliveryListKey(organization, '').pk),
];

const memberItem = z.object({ member: z.optional(z.object({ person: z.string() })) });

const domainItem = z.object({
  id: z.string(),
  domain: z.string(),
  mailbox: z.string(),
  badgeToken: z.optional(z.string()),
});

/** Where the rest of an organization is, given the items of `rootsOf`. */
export function rangesOf(organization: string, roots: readonly Item[]): Range[] {
  const { pk, sk } = organizationListKey(organization);
  const followed = roots.flatMap((item) => followedFrom(organization, item));
  const own = WHOLE.map((kind) => `${partitions[kind]}${organization}`);
  const memberships = roots.flatMap((item) => membershipFrom(organization, item));
  return [{ pk, prefix: sk }, ...memberships, ...[...new Set([...own, ...followed])].map(whole)];
}

/** That a person is a member of this organization; whether they are of others does not move with it. */
function membershipFrom(organization: string, item: Item): Range[] {
  if (!keyOf(item).sk.startsWith(tokensOf(organization).prefix)) return [];
  const { member } = parseItem(item, memberItem);
  if (member === undefined) return [];
  const { pk, sk } = membershipKey(member.person, organization);
  return [{ pk, prefix: sk }];
}

/** The partitions that an item leads to. */
function followedFrom(organization: string, item: Item): string[] {
  const { pk, sk } = keyOf(item);
  if (pk === deliveryListKey(organization, '').pk) return [deliveryKey(sk).pk];
  const tokens = tokensOf(organization).prefix;
  if (sk.startsWith(tokens)) return [tokenKey(sk.slice(tokens.length)).pk];
  if (!sk.startsWith(domainsOf(organization).prefix)) return [];
  const { id, domain, mailbox, badgeToken } = parseItem(item, domainItem);
  return [
    ...[domainPartition(id), mailboxKey(mailbox).pk, testedSelectorsKey(domain).pk],
    ...(badgeToken === undefined ? [] : [badgeKey(badgeToken).pk]),
  ];
}

/**
 * When an item gets to the other host, where the service may run already. First comes what nothing acts on; then what is
 * scheduled and listed; last what lets requests and mail in, and what is to be sent.
 */
export function stepOf({ pk, gsi1pk }: Item): 0 | 1 | 2 {
  const isIn = (name: unknown, ...prefixes: readonly string[]) =>
    typeof name === 'string' && prefixes.some((prefix) => name.startsWith(prefix));
  if (isIn(pk, partitions.tokens, partitions.mailboxes, partitions.badges)) return 2;
  if (isIn(gsi1pk, indexPartitions['pending-notifications'], indexPartitions['unfinished-deliveries']))
    return 2;
  return isIn(pk, partitions['organization-list']) ||
    isIn(gsi1pk, indexPartitions['due-domains'], indexPartitions['due-mailboxes'])
    ? 1
    : 0;
}

/** Whether an item of an archive may be written: an archive changes nothing that belongs to the host. */
export function moves({ pk }: { readonly pk: string }): boolean {
  const kind = (Object.keys(partitions) as Partition[]).find((one) => pk.startsWith(partitions[one]));
  return kind !== undefined && owners[kind] !== 'service';
}
