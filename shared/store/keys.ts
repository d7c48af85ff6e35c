/**
 * All keys of the table. What the items hold, and which requests read them, is in entities.ts.
 *
 * The key of everything that an organization owns contains the organization, so a token cannot reach another
 * organization's data. Everything about a domain is in the domain's partition, so deleting a domain means emptying one
 * partition. Times in keys are in ISO form with milliseconds, and days such as `2026-01-31`, so keys sort by time.
 *
 * Longer than 350 lines: one table.
 */
import { createHash } from 'node:crypto';
import type { NotificationKind } from '../alerts/notification.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Items of a partition, by how their sort keys begin. */
export interface Range {
  readonly pk: string;
  readonly prefix: string;
}

/** A position in the index, or the upper limit of what is read of a partition of it. */
export interface IndexKey {
  readonly gsi1pk: string;
  readonly gsi1sk: string;
}

/**
 * The table as both hosts create it. The TTL attribute is in seconds since 1970. DynamoDB deletes expired items late,
 * so readers compare it themselves.
 */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLive: 'expiresAt',
  index: { name: 'gsi1', partitionKey: 'gsi1pk', sortKey: 'gsi1sk' },
} as const;

/** The number of partitions of the index of due domains, and of that of due mailboxes. */
export const DUE_SHARDS = 8;

/**
 * The prefixes of all partition keys, by what the partitions hold. A function in AWS reaches only the partitions that its
 * row in `functions/` uses. None of these prefixes starts with another one.
 */
export const partitions = {
  layout: 'LAYOUT',
  /** Apart from the layout, because functions that list something make it. */
  'page-keys': 'PAGES',
  /** Public keys that signed evidence. */
  'signing-keys': 'JWKS',
  tokens: 'TOKEN#',
  /** Apart from tokens, because every function that authenticates requests writes it. */
  'token-uses': 'USED#',
  'organization-list': 'ORGS',
  /** Apart from organizations, because functions add to it that change nothing else. */
  audit: 'AUDIT#',
  idempotency: 'IDEMPOTENCY#',
  sessions: 'CONSOLE#',
  organizations: 'ORG#',
  /** People who sign in through the identity provider: which organizations they are members of. */
  people: 'PERSON#',
  /** Apart from organizations, because the person who accepts one reaches them before being a member. */
  invitations: 'INVITE#',
  /** Apart from organizations, because few functions can read them, and encrypted. */
  secrets: 'SECRETS#',
  mailboxes: 'MAILBOX#',
  /** Mailboxes elsewhere, from which reports are fetched. */
  'fetched-mailboxes': 'FETCH#',
  /** Apart from their settings, because few functions can read them, and encrypted. */
  'mailbox-secrets': 'FETCHKEY#',
  /** Everything known about a domain. */
  'domain-data': 'DOMAIN#',
  'tested-selectors': 'NAME#',
  deletions: 'DELETION',
  'spf-shares': 'SPF#',
  'domain-checks': 'CHECKED#',
  badges: 'BADGE#',
  'test-sessions': 'TEST#',
  'rate-limits': 'RATE#',
  deliveries: 'DELIVERY#',
  /** Apart from organizations, because functions add to it that change nothing else. */
  'delivery-lists': 'SENT#',
  directory: 'DIRECTORY#',
  'report-sums': 'SUMS#',
} as const;

/** The same for the index. */
export const indexPartitions = {
  'due-domains': 'DUE#',
  alerts: 'ORG#',
  attention: 'ATTENTION#',
  changes: 'CHANGES#',
  'pending-notifications': 'PENDING',
  'unfinished-deliveries': 'DELIVERIES',
  'due-mailboxes': 'FETCHDUE#',
  'published-keys': 'DKIMKEY#',
} as const;

/**
 * The number of partitions of each kind of notification, in both indexes (docs/cost-and-scale.md has the arithmetic). A
 * later release can raise it, but not lower it: items in the removed partitions would not be found.
 */
export const NOTIFICATION_SHARDS = 16;

export const notificationShards: readonly number[] = Array.from(Array(NOTIFICATION_SHARDS).keys());

/** The shard of everything that is sent to an organization. */
export const notificationShardOf = (organization: string): number =>
  shardOf(organization, NOTIFICATION_SHARDS);

const shardOf = (id: string, shards: number): number =>
  createHash('sha256').update(id).digest().readUInt8(0) % shards;

type Partition = keyof typeof partitions;

/** The key of an item in a partition of a kind; `of` is whose partition it is. */
const key = (kind: Partition, of: string, sk: string): Key => ({ pk: `${partitions[kind]}${of}`, sk });

const range = (kind: Partition, of: string, prefix: string): Range => ({
  pk: `${partitions[kind]}${of}`,
  prefix,
});

const within = ({ pk, prefix }: Range, rest: string): Key => ({ pk, sk: `${prefix}${rest}` });

const indexed = (kind: keyof typeof indexPartitions, of: string, gsi1sk: string): IndexKey => ({
  gsi1pk: `${indexPartitions[kind]}${of}`,
  gsi1sk,
});

// Organizations, their tokens and sessions

export const organizationKey = (organization: string) => key('organizations', organization, 'ORG');
/** The item with the version of the layout of the table. */
export const layoutKey = (): Key => key('layout', '', 'LAYOUT');
/** The item with the key that signs positions in lists. */
export const pageKeyKey = (): Key => key('page-keys', '', 'KEY');
export const signingKeys = () => range('signing-keys', '', '');
export const signingKeyKey = (kid: string): Key => key('signing-keys', '', kid);
/** How far the import of an archive is. */
export const importKey = (archive: string): Key => key('layout', '', `IMPORT#${archive}`);
export const organizationListKey = (organization: string) => key('organization-list', '', organization);
export const tokenKey = (tokenHash: string) => key('tokens', tokenHash, 'TOKEN');
export const tokensOf = (organization: string) => range('organizations', organization, 'TOKEN#');
export const organizationTokenKey = (organization: string, tokenHash: string) =>
  within(tokensOf(organization), tokenHash);
export const tokenUseKey = (organization: string, tokenId: string) =>
  key('token-uses', organization, tokenId);
export const auditKey = (organization: string, at: string, id: string) =>
  key('audit', organization, `${at}#${id}`);
export const auditPartition = (organization: string): string => auditKey(organization, '', '').pk;
/** `keyHash` is the hash of the idempotency key of the request. */
export const idempotencyKey = (tokenId: string, keyHash: string) =>
  key('idempotency', `${tokenId}#${keyHash}`, 'REQUEST');

/** A session of the console, a one-time link that starts one, and what a form of a session did. */
export type SessionKind = 'SESSION' | 'LINK' | 'FLASH';

/** The sessions or links of an organization, or of one of its tokens. */
export const sessionsOf = (kind: SessionKind, organization: string, tokenId?: string) =>
  range('sessions', organization, tokenId === undefined ? `${kind}#` : `${kind}#${tokenId}#`);
/** `id` is the ID of the token, `#`, and the hash of the secret; of a flash, that of its session, `#`, and its own. */
export const sessionKey = (kind: SessionKind, organization: string, id: string) =>
  within(sessionsOf(kind, organization), id);

export const personKey = (person: string) => key('people', person, 'PERSON');
/** A browser that a person signed in with; `hash` is that of its secret. */
export const browserKey = (person: string, hash: string) => key('people', person, `BROWSER#${hash}`);
/** The organizations that a person is a member of. */
export const membershipsOf = (person: string) => range('people', person, 'MEMBER#');
export const membershipKey = (person: string, organization: string) =>
  within(membershipsOf(person), organization);
export const invitationsOf = (organization: string) => range('invitations', organization, '');
export const invitationKey = (organization: string, id: string) => within(invitationsOf(organization), id);

/** What a secret of an organization is for: its webhook, or signing in to the mailbox with an ID. */
export type SecretPurpose = 'webhook' | `mailbox ${string}`;

const MAILBOX_PURPOSE = 'mailbox ';
const WEBHOOK_SECRET = 'WEBHOOK';

/** What the secret with this key is for; undefined for another item. */
export function secretOf({ pk, sk }: Key): { organization: string; purpose: SecretPurpose } | undefined {
  const after = (prefix: string) => (pk.startsWith(prefix) ? pk.slice(prefix.length) : undefined);
  const ofWebhook = after(partitions.secrets);
  if (ofWebhook !== undefined && sk === WEBHOOK_SECRET)
    return { organization: ofWebhook, purpose: 'webhook' };
  const ofMailbox = after(partitions['mailbox-secrets']);
  return ofMailbox === undefined
    ? undefined
    : { organization: ofMailbox, purpose: `${MAILBOX_PURPOSE}${sk}` };
}

export const secretKey = (of: { readonly organization: string; readonly purpose: SecretPurpose }) =>
  of.purpose === 'webhook'
    ? key('secrets', of.organization, WEBHOOK_SECRET)
    : key('mailbox-secrets', of.organization, of.purpose.slice(MAILBOX_PURPOSE.length));

// Mailboxes from which reports are fetched

export const fetchedMailboxesOf = (organization: string) => range('fetched-mailboxes', organization, '');
export const fetchedMailboxKey = (organization: string, id: string) =>
  within(fetchedMailboxesOf(organization), id);
export const mailboxesDueBy = (shard: number, at: string) => indexed('due-mailboxes', String(shard), at);
export const mailboxDueKey = (id: string, at: string) => mailboxesDueBy(shardOf(id, DUE_SHARDS), at);

// Domains

/** All domains of an organization, in the order of their registration. */
export const domainsOf = (organization: string) => range('organizations', organization, 'DOMAIN#');
export const domainKey = (organization: string, id: string) => within(domainsOf(organization), id);
export const domainNameKey = (organization: string, domain: string) =>
  key('organizations', organization, `NAME#${domain}`);
export const directoryShardsOf = (organization: string) => range('directory', organization, 'ROWS#');
export const directoryShardKey = (organization: string, shard: string) =>
  within(directoryShardsOf(organization), shard);
/** The changes of all shards or of one. */
export const directoryChangesOf = (organization: string, shard?: string) =>
  range('directory', organization, `CHANGED#${shard === undefined ? '' : `${shard}#`}`);
export const directoryChangeKey = (organization: string, shard: string, id: string) =>
  within(directoryChangesOf(organization, shard), id);
export const organizationSumsKey = (organization: string) => key('report-sums', organization, 'ALL');
export const domainSumsOf = (organization: string) => range('report-sums', organization, 'DOMAIN#');
export const domainSumsKey = (organization: string, id: string) => within(domainSumsOf(organization), id);
export const mailboxKey = (localPart: string) => key('mailboxes', localPart, 'MAILBOX');
export const badgeKey = (token: string) => key('badges', token, 'BADGE');
export const deletionKey = (id: string) => key('deletions', '', id);
/** The partition that holds everything known about a domain. */
export const domainPartition = (id: string): string => `${partitions['domain-data']}${id}`;
export const dueIndexKey = (id: string, nextCheckAt: string) =>
  domainsDueBy(shardOf(id, DUE_SHARDS), nextCheckAt);
export const domainsDueBy = (shard: number, at: string) => indexed('due-domains', String(shard), at);

// What is known about a domain

export const checksKey = (id: string) => key('domain-data', id, 'CHECKS');
export const checksHistoryOf = (id: string) => range('domain-data', id, 'CHECKS#');
export const checksEntryKey = (id: string, at: string) => within(checksHistoryOf(id), at);
/** The entry in the list of changes of its organization. */
export const changesIndexKey = (organization: string, at: string, id: string) =>
  indexed('changes', organization, `${at}#${id}`);
export const scoreHistoryOf = (id: string) => range('domain-data', id, 'SCORE#');
export const scoreEntryKey = (id: string, at: string) => within(scoreHistoryOf(id), at);
export const evidenceOf = (id: string) => range('domain-data', id, 'EVIDENCE#');
export const evidenceKey = (id: string, at: string) => within(evidenceOf(id), at);
/** A certificate that evidence names by its hash. */
export const evidenceCertificateKey = (id: string, hash: string) =>
  key('domain-data', id, `CERTIFICATE#${hash}`);
export const monitorStateKey = (id: string) => key('domain-data', id, 'WATCH');
export const senderDecisionsOf = (id: string) => range('domain-data', id, 'SENDER#');
export const senderDecisionKey = (id: string, sender: string) => within(senderDecisionsOf(id), sender);
export const attestationsKey = (id: string) => key('domain-data', id, 'ATTESTATIONS');
export const blocklistingsKey = (id: string) => key('domain-data', id, 'BLOCKLISTINGS');

export const registrationKey = (id: string) => key('domain-data', id, 'REGISTRATION');

export const nextPolicyKey = (id: string) => key('domain-data', id, 'NEXTPOLICY');
export const assessmentKey = (id: string) => key('domain-data', id, 'ASSESSMENT');
export const publishedKeyKey = (id: string, keyHash: string) => key('domain-data', id, `DKIMKEY#${keyHash}`);
export const publishedKeyIndexKey = (organization: string, keyHash: string, domain: string) =>
  indexed('published-keys', `${organization}#${keyHash}`, domain);
export const seenSelectorsKey = (id: string) => key('domain-data', id, 'SELECTORS');
/** Stored under the domain name and not in a customer's partition, because mail tests are anonymous. */
export const testedSelectorsKey = (domain: string) => key('tested-selectors', domain, 'SELECTORS');

// Reports about a domain

/** The prefixes of all sort keys that concern such reports. */
export const reportKinds = ['DMARC', 'TLS'] as const;

export type ReportKind = (typeof reportKinds)[number];

export const reportKey = (kind: ReportKind, domainId: string, begin: string, id: string) =>
  key('domain-data', domainId, `${kind}#${begin}#${id}`);
/** A chunk of a report's rows; `rowsHash` identifies the sequence of rows. */
export const reportRowsKey = (
  kind: ReportKind,
  domainId: string,
  { id, rowsHash, n }: { id: string; rowsHash: string; n: number },
) => key('domain-data', domainId, `${kind}ROWS#${id}#${rowsHash}#${String(n).padStart(4, '0')}`);
export const reportDayKey = (kind: ReportKind, domainId: string, day: string) =>
  key('domain-data', domainId, `${kind}DAY#${day}`);
/** What was rolled up of a day. */
export const reportRollUpKey = (kind: ReportKind, domainId: string, day: string) =>
  key('domain-data', domainId, `${kind}ROLLUP#${day}`);
/** A report that its owner deleted. */
export const deletedReportKey = (kind: ReportKind, domainId: string, id: string) =>
  key('domain-data', domainId, `${kind}DELETED#${id}`);
export const reportConflictKey = (kind: ReportKind, domainId: string, id: string, contentHash: string) =>
  key('domain-data', domainId, `${kind}CONFLICT#${id}#${contentHash}`);
export const reportMailsOf = (domainId: string) => range('domain-data', domainId, 'MAIL#');
export const reportMailKey = (domainId: string, receivedAt: string, messageId: string) =>
  within(reportMailsOf(domainId), `${receivedAt}#${messageId}`);

// Alerts and attention items

/**
 * The lists that an alert belongs to: all alerts, its severity, unread, and unread of its severity. Each filter is a
 * key range of its own, so a query reads only what it shows.
 */
export function alertList({ severity, unread }: { severity?: string | undefined; unread: boolean }): string {
  const filters = [...(unread ? ['unread'] : []), ...(severity === undefined ? [] : [severity])];
  return filters.length === 0 ? '' : `@${filters.join('-')}`;
}

/** All alerts of a domain in a list. */
export const alertsOf = (domainId: string, list: string) => range('domain-data', domainId, `ALERT${list}#`);
/** Ids are UUIDv7, so keys sort by the time at which alerts were raised. */
export const alertKey = (domainId: string, id: string, list = '') => within(alertsOf(domainId, list), id);
export const alertIndexKey = (organization: string, id: string, list = '') =>
  indexed('alerts', `${organization}#ALERTS${list}`, id);
export const alertedKey = (
  domainId: string,
  type: string,
  { day, list }: { readonly day: string; readonly list?: string | undefined },
) => alertDedupeKey(domainId, `${type}#${list === undefined ? '' : `${list}#`}${day}`);
export const alertDedupeKey = (domainId: string, dedupeKey: string) =>
  key('domain-data', domainId, `ALERTED#${dedupeKey}`);
export const attentionOf = (domainId: string) => range('domain-data', domainId, 'ATTENTION#');
/** A domain has at most one attention item of a kind. */
export const attentionKey = (domainId: string, kind: string) => within(attentionOf(domainId), kind);
export const channelAttentionKey = (organization: string, channel: string, kind: string) =>
  key('organizations', organization, `ATTENTION#${channel}#${kind}`);
export const mailboxAttentionKey = (organization: string, mailbox: string, kind: string) =>
  key('organizations', organization, `ATTENTION#${mailbox}#${kind}`);
export const attentionIndexKey = (organization: string, order: string) =>
  indexed('attention', organization, order);

// Notifications

/** The lists of domains that the organization saved. */
export const savedViewsKey = (organization: string) => key('organizations', organization, 'VIEWS');
/** Which compliance profiles the organization follows, and its own ones. */
export const complianceSettingsKey = (organization: string) =>
  key('organizations', organization, 'COMPLIANCE');
export const notificationSettingsKey = (organization: string) =>
  key('organizations', organization, 'NOTIFICATION');
/** In the domain's partition, and deleted with it. */
export const pendingKey = (domainId: string, channel: string, alert: string) =>
  key('domain-data', domainId, `PENDING#${channel}#${alert}`);
export const organizationPendingKey = (organization: string, channel: string, event: string) =>
  key('organizations', organization, `PENDING#${channel}#${event}`);
/** What is sent together is in one shard, and with the same due time next to each other. */
export const pendingTime = (at: string, organization: string): string => `${at}#${organization}`;
/** Each kind has its own partitions, so that a backlog of digests does not delay alerts. */
const pendingAt = (kind: NotificationKind | 'plan', shard: number, at: string, organization: string) =>
  indexed('pending-notifications', `#${kind}#${shard}`, pendingTime(at, organization));
export const pendingIndexKey = (kind: NotificationKind, organization: string, at: string) =>
  pendingAt(kind, notificationShardOf(organization), at, organization);
/** `~` sorts after all ids. */
export const pendingDueBy = (kind: NotificationKind, shard: number, at: string) =>
  pendingAt(kind, shard, at, '~');
export const digestPlanKey = (organization: string, at: string) =>
  pendingAt('plan', notificationShardOf(organization), at, organization);
export const digestPlansDueBy = (shard: number, at: string) => pendingAt('plan', shard, at, '~');
export const deliveryKey = (id: string) => key('deliveries', id, 'DELIVERY');
/** Ids are UUIDv7, so keys sort by time. */
export const deliveryListKey = (organization: string, id: string) => key('delivery-lists', organization, id);
export const deliveryIndexKey = (kind: NotificationKind, organization: string, at: string) =>
  deliveriesDueBy(kind, notificationShardOf(organization), at);
export const deliveriesDueBy = (kind: NotificationKind, shard: number, at: string) =>
  indexed('unfinished-deliveries', `#${kind}#${shard}`, at);

// Public tools

export const spfShareKey = (shareId: string) => key('spf-shares', shareId, 'SHARE');
export const domainCheckShareKey = (shareId: string) => key('domain-checks', shareId, 'SHARE');
/** Recent results for an organization that owns the domain, or for everybody. */
export const domainCheckKey = (domain: string, owner: string | null) =>
  key('domain-checks', domain, owner === null ? 'RECENT' : `RECENT#${owner}`);
export const testSessionKey = (testId: string) => key('test-sessions', testId, 'SESSION');
export const rateKey = (what: string, who: string) => key('rate-limits', `${what}#${who}`, 'RATE');
/** A rate limit that counts passes without listing them. */
export const slidingRateKey = (what: string, who: string) => key('rate-limits', `${what}#${who}`, 'PASSES');
