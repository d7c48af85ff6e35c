/**
 * All keys of the table.
 *
 * | access pattern                              | request                                            |
 * |---------------------------------------------|----------------------------------------------------|
 * | organization of a token                     | get  TOKEN#<hash>                                  |
 * | all organizations                           | query ORGS                                         |
 * | tokens of an organization                   | query ORG#<org>, TOKEN#                            |
 * | days on which its tokens were last used     | query USED#<org>                                   |
 * | audit log of an organization, in order      | query AUDIT#<org>                                  |
 * | response to a request that is repeated      | get  IDEMPOTENCY#<token>#<key>                     |
 * | a console session or one-time link          | get  CONSOLE#<org>, <kind>#<token id>#<hash>       |
 * | those of an organization, or of a token     | query CONSOLE#<org>, <kind>#<token id>             |
 * | secrets of an organization, encrypted       | get  SECRETS#<org>, WEBHOOK                        |
 * | domains of an organization, in order        | query ORG#<org>, DOMAIN#                           |
 * | domains of an organization, filtered        | query DIRECTORY#<org>                              |
 * | one domain of an organization               | get  ORG#<org>, DOMAIN#<id>                        |
 * | DMARC reports of all domains, summed         | get  SUMS#<org>, ALL                               |
 * | the same of each domain                      | query SUMS#<org>, DOMAIN#                          |
 * | unique domain name in an organization       | condition on ORG#<org>, NAME#<domain>              |
 * | domain of a report mailbox                  | get  MAILBOX#<local part>                          |
 * | latest check results of a domain            | get  DOMAIN#<id>, CHECKS                           |
 * | history of checks and of the score          | query DOMAIN#<id>, CHECKS#<time> or SCORE#<time>   |
 * | everything about a domain (to delete it)    | query DOMAIN#<id>                                  |
 * | domains that are due                        | query gsi1 DUE#<shard>, up to now                  |
 * | unfinished deletions                        | query DELETION                                     |
 * | shared SPF result                           | get  SPF#<share id>                                |
 * | shared result of the domain checker         | get  CHECKED#<share id>, SHARE                     |
 * | its results of the last minute              | get  CHECKED#<domain>, RECENT or RECENT#<org>     |
 * | domain of a badge                           | get  BADGE#<token>                                 |
 * | mail test session and its results           | get  TEST#<test id>                                |
 * | rate limit of a caller                      | get  RATE#<what>#<who>, then update                |
 * | reports of a domain, newest first           | query DOMAIN#<id>, <kind>#<begin>#<report>         |
 * | reports and messages per day                | query DOMAIN#<id>, <kind>DAY#<day>                 |
 * | the same by part of the day, and by source  | query DOMAIN#<id>, <kind>DETAIL#<day>              |
 * | summaries of DMARC reports per day           | query DOMAIN#<id>, DMARCSUMMARY#<day>#<share>      |
 * | rows of a large report                      | get  DOMAIN#<id>, <kind>ROWS#<report>#<rows>#<n>   |
 * | reports that conflict with a stored one     | query DOMAIN#<id>, <kind>CONFLICT#                 |
 * | received report mails and their outcomes    | query DOMAIN#<id>, MAIL#<received>#<message>       |
 * | alerts of a domain, in order                | query DOMAIN#<id>, ALERT<list>#<alert>             |
 * | alerts of an organization, in order         | query gsi1 ORG#<org>#ALERTS<list>                  |
 * | one alert of an organization                | query gsi1 ORG#<org>#ALERTS, <alert>               |
 * | attention items of an organization, worst first | query gsi1 ATTENTION#<org>                     |
 * | attention items of a domain                 | query DOMAIN#<id>, ATTENTION#                      |
 * | attention item about a channel              | get  ORG#<org>, ATTENTION#<channel>#<kind>         |
 * | monitor state of a domain                   | get  DOMAIN#<id>, WATCH                            |
 * | decisions about the senders of a domain     | query DOMAIN#<id>, SENDER#                         |
 * | attestations of an owner                    | get  DOMAIN#<id>, ATTESTATIONS                     |
 * | latest assessment of enforcement            | get  DOMAIN#<id>, ASSESSMENT                       |
 * | policy that a domain is ready for           | get  DOMAIN#<id>, NEXTPOLICY                       |
 * | dedupe key with days of silence             | condition on DOMAIN#<id>, ALERTED#<dedupe key>     |
 * | dedupe keys of a day's report alerts        | condition on DOMAIN#<id>, ALERTED#<type>#<day>     |
 * | notification settings of an organization    | get  ORG#<org>, NOTIFICATION                       |
 * | pending notification about an organization  | put  ORG#<org>, PENDING#<channel>#<event>          |
 * | pending notifications that are due          | query gsi1 PENDING#<kind>#<shard>, up to now       |
 * | organizations whose digest is due           | query gsi1 PENDING#plan#<shard>, up to now         |
 * | one delivery of alerts                      | get  DELIVERY#<delivery>                           |
 * | deliveries of an organization, in order     | query SENT#<org>                                   |
 * | deliveries for which a message is due       | query gsi1 DELIVERIES#<kind>#<shard>, up to now    |
 * | unfinished deliveries of an organization    | query gsi1 DELIVERIES#<kind>#<shard>               |
 * | DKIM selectors from reports                 | get  DOMAIN#<id>, SELECTORS                        |
 * | DKIM selectors from mail tests              | get  NAME#<domain>, SELECTORS                      |
 *
 * The key of everything that an organization owns contains the organization, so a token cannot reach another
 * organization's data. Everything about a domain is in the domain's partition, so deleting a domain means emptying one
 * partition.
 */
import { createHash } from 'node:crypto';
import type { NotificationKind } from '../alerts/notification.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
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

/** The number of partitions of the index of due domains. */
export const DUE_SHARDS = 8;

/**
 * The prefixes of all partition keys, by what the partitions hold. A function in AWS reaches only the partitions that its
 * row in `functions/` uses. None of these prefixes starts with another one.
 */
export const partitions = {
  tokens: 'TOKEN#',
  /** When tokens were last used: apart from tokens, because every function that authenticates requests writes it. */
  'token-uses': 'USED#',
  /** The list of all organizations, for operators. */
  'organization-list': 'ORGS',
  /** Apart from organizations, because functions add to it that change nothing else. */
  audit: 'AUDIT#',
  idempotency: 'IDEMPOTENCY#',
  /** Sessions of the console and one-time links to it. */
  sessions: 'CONSOLE#',
  /** Organizations with their settings, copies of their tokens, and their domains. */
  organizations: 'ORG#',
  /** Apart from organizations, because few functions can read them, and encrypted. */
  secrets: 'SECRETS#',
  mailboxes: 'MAILBOX#',
  /** Everything known about a domain. */
  'domain-data': 'DOMAIN#',
  /** Selectors from anonymous mail tests. */
  'tested-selectors': 'NAME#',
  deletions: 'DELETION',
  'spf-shares': 'SPF#',
  /** Shared and recent results of the domain checker. */
  'domain-checks': 'CHECKED#',
  badges: 'BADGE#',
  'test-sessions': 'TEST#',
  'rate-limits': 'RATE#',
  deliveries: 'DELIVERY#',
  /** The ids of the deliveries of an organization: apart from it, because functions add to it that change nothing else. */
  'delivery-lists': 'SENT#',
  /** What filters of domains need. */
  directory: 'DIRECTORY#',
  /** Sums of the DMARC reports of an organization. */
  'report-sums': 'SUMS#',
} as const;

/** The same for the index. */
export const indexPartitions = {
  'due-domains': 'DUE#',
  alerts: 'ORG#',
  attention: 'ATTENTION#',
  'pending-notifications': 'PENDING',
  'unfinished-deliveries': 'DELIVERIES',
} as const;

/**
 * The number of partitions of each kind of notification, in both indexes (docs/cost-and-scale.md has the arithmetic). A
 * later release can raise it, but not lower it: items in the removed partitions would not be found.
 */
export const NOTIFICATION_SHARDS = 16;

/** The shard of everything that is sent to an organization. */
export const notificationShardOf = (organization: string): number =>
  shardOf(organization, NOTIFICATION_SHARDS);

export const notificationShards: readonly number[] = Array.from(
  { length: NOTIFICATION_SHARDS },
  (_, shard) => shard,
);

/** The prefixes of the sort keys in the partition of an organization. */
const prefix = { domain: 'DOMAIN#', name: 'NAME#', token: 'TOKEN#' } as const;

const organizationPartition = (organization: string): string => `${partitions.organizations}${organization}`;

export const organizationKey = (organization: string): Key => ({
  pk: organizationPartition(organization),
  sk: 'ORG',
});

/** The list of all organizations, for operators. */
export const organizationListKey = (organization: string): Key => ({
  pk: partitions['organization-list'],
  sk: organization,
});

export const tokenKey = (tokenHash: string): Key => ({ pk: `${partitions.tokens}${tokenHash}`, sk: 'TOKEN' });

export const organizationTokenKey = (organization: string, tokenHash: string): Key => ({
  pk: organizationPartition(organization),
  sk: `${prefix.token}${tokenHash}`,
});

/** All tokens of an organization. */
export const tokensOf = (organization: string) => ({
  pk: organizationPartition(organization),
  prefix: prefix.token,
});

/** When a token of an organization was last used. */
export const tokenUseKey = (organization: string, tokenId: string): Key => ({
  pk: `${partitions['token-uses']}${organization}`,
  sk: tokenId,
});

/** An entry of the audit log; `at` is in ISO form, so keys sort by time. */
export const auditKey = (organization: string, at: string, id: string): Key => ({
  pk: auditPartition(organization),
  sk: `${at}#${id}`,
});

export const auditPartition = (organization: string): string => `${partitions.audit}${organization}`;

/** A request with an idempotency key; `keyHash` is the hash of that key. */
export const idempotencyKey = (tokenId: string, keyHash: string): Key => ({
  pk: `${partitions.idempotency}${tokenId}#${keyHash}`,
  sk: 'REQUEST',
});

/** A session of the console, and a one-time link that starts one. */
export type SessionKind = 'SESSION' | 'LINK';

/** The sessions or links of an organization, or of one of its tokens. */
export const sessionsOf = (kind: SessionKind, organization: string, tokenId?: string) => ({
  pk: `${partitions.sessions}${organization}`,
  prefix: tokenId === undefined ? `${kind}#` : `${kind}#${tokenId}#`,
});

/** `id` is the ID of the token, `#`, and the hash of the secret. */
export const sessionKey = (kind: SessionKind, organization: string, id: string): Key => {
  const { pk, prefix } = sessionsOf(kind, organization);
  return { pk, sk: `${prefix}${id}` };
};

export const domainKey = (organization: string, id: string): Key => ({
  pk: organizationPartition(organization),
  sk: `${prefix.domain}${id}`,
});

/** All domains of an organization, in the order of their registration. */
export const domainsOf = (organization: string) => ({
  pk: organizationPartition(organization),
  prefix: prefix.domain,
});

export const domainNameKey = (organization: string, domain: string): Key => ({
  pk: organizationPartition(organization),
  sk: `${prefix.name}${domain}`,
});

const directoryPartition = (organization: string): string => `${partitions.directory}${organization}`;

/** A shard of the directory of an organization. */
export const directoryShardKey = (organization: string, shard: string): Key => {
  const { pk, prefix } = directoryShardsOf(organization);
  return { pk, sk: `${prefix}${shard}` };
};

export const directoryShardsOf = (organization: string) => ({
  pk: directoryPartition(organization),
  prefix: 'ROWS#',
});

/** Changes of a domain that are not in its shard of the directory yet. */
export const directoryChangeKey = (organization: string, shard: string, id: string): Key => {
  const { pk, prefix } = directoryChangesOf(organization, shard);
  return { pk, sk: `${prefix}${id}` };
};

/** Such changes, of all shards or of one. */
export const directoryChangesOf = (organization: string, shard?: string) => ({
  pk: directoryPartition(organization),
  prefix: `CHANGED#${shard === undefined ? '' : `${shard}#`}`,
});

/** Exists while the directory contains all domains. */
export const directoryBuiltKey = (organization: string): Key => ({
  pk: directoryPartition(organization),
  sk: 'BUILT',
});

/** The DMARC reports of all domains of an organization, summed. */
export const organizationSumsKey = (organization: string): Key => ({
  pk: domainSumsOf(organization).pk,
  sk: 'ALL',
});

/** The same of one domain. */
export const domainSumsKey = (organization: string, id: string): Key => {
  const { pk, prefix: start } = domainSumsOf(organization);
  return { pk, sk: `${start}${id}` };
};

/** The same of each domain. */
export const domainSumsOf = (organization: string) => ({
  pk: `${partitions['report-sums']}${organization}`,
  prefix: prefix.domain,
});

export const mailboxKey = (localPart: string): Key => ({
  pk: `${partitions.mailboxes}${localPart}`,
  sk: 'MAILBOX',
});

/** The partition that holds everything known about a domain. */
export const domainPartition = (id: string): string => `${partitions['domain-data']}${id}`;

export const checksKey = (id: string): Key => ({ pk: domainPartition(id), sk: 'CHECKS' });

/** The change history of a domain, by the ISO time of the check run. */
export const checksHistoryOf = (id: string) => ({ pk: domainPartition(id), prefix: 'CHECKS#' });

export const scoreHistoryOf = (id: string) => ({ pk: domainPartition(id), prefix: 'SCORE#' });

/** The prefix of all sort keys that concern such reports. */
export type ReportKind = 'DMARC' | 'TLS';

/** `begin` is in ISO form with milliseconds, so keys sort by time. */
export const reportKey = (kind: ReportKind, domainId: string, begin: string, id: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}#${begin}#${id}`,
});

/** A chunk of a report's rows; `rowsHash` identifies the sequence of rows. */
export const reportRowsKey = (
  kind: ReportKind,
  domainId: string,
  { id, rowsHash, n }: { id: string; rowsHash: string; n: number },
): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}ROWS#${id}#${rowsHash}#${String(n).padStart(4, '0')}`,
});

/** `day` is a date such as `2026-01-31`. */
export const reportDayKey = (kind: ReportKind, domainId: string, day: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}DAY#${day}`,
});

export const reportDetailKey = (kind: ReportKind, domainId: string, day: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}DETAIL#${day}`,
});

/** `share` is `authenticated` or `unproven`. */
export const reportSummaryKey = (domainId: string, day: string, share: string): Key => ({
  pk: domainPartition(domainId),
  sk: `DMARCSUMMARY#${day}#${share}`,
});

export const reportConflictKey = (
  kind: ReportKind,
  domainId: string,
  id: string,
  contentHash: string,
): Key => ({ pk: domainPartition(domainId), sk: `${kind}CONFLICT#${id}#${contentHash}` });

/** A mail to a domain's report mailbox; `receivedAt` is in ISO form, so keys sort by time. */
export const reportMailKey = (domainId: string, receivedAt: string, messageId: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${reportMailsOf(domainId).prefix}${receivedAt}#${messageId}`,
});

export const reportMailsOf = (domainId: string) => ({ pk: domainPartition(domainId), prefix: 'MAIL#' });

/**
 * The lists that an alert belongs to: all alerts, its severity, unread, and unread of its severity. Each filter is a
 * key range of its own, so a query reads only what it shows.
 */
export const alertList = ({
  severity,
  unread,
}: {
  severity?: string | undefined;
  unread: boolean;
}): string =>
  unread || severity !== undefined
    ? `@${[...(unread ? ['unread'] : []), ...(severity === undefined ? [] : [severity])].join('-')}`
    : '';

/** All alerts of a domain in a list. */
export const alertsOf = (domainId: string, list: string) => ({
  pk: domainPartition(domainId),
  prefix: `ALERT${list}#`,
});

/** An alert in a list. Ids are UUIDv7, so keys sort by the time at which alerts were raised. */
export const alertKey = (domainId: string, id: string, list = ''): Key => {
  const { pk, prefix } = alertsOf(domainId, list);
  return { pk, sk: `${prefix}${id}` };
};

/** The position of an alert in a list of its organization. */
export const alertIndexKey = (organization: string, id: string, list = '') => ({
  gsi1pk: `${indexPartitions.alerts}${organization}#ALERTS${list}`,
  gsi1sk: id,
});

/** All attention items of a domain. */
export const attentionOf = (domainId: string) => ({ pk: domainPartition(domainId), prefix: 'ATTENTION#' });

/** The attention item of a kind: a domain has at most one of each. */
export const attentionKey = (domainId: string, kind: string): Key => {
  const { pk, prefix } = attentionOf(domainId);
  return { pk, sk: `${prefix}${kind}` };
};

/** The attention item of a kind about a channel of an organization. */
export const channelAttentionKey = (organization: string, channel: string, kind: string): Key => ({
  pk: organizationPartition(organization),
  sk: `ATTENTION#${channel}#${kind}`,
});

/** The position of an attention item in the list of its organization. */
export const attentionIndexKey = (organization: string, order: string) => ({
  gsi1pk: `${indexPartitions.attention}${organization}`,
  gsi1sk: order,
});

/** The state of change detection between check runs. */
export const monitorStateKey = (domainId: string): Key => ({ pk: domainPartition(domainId), sk: 'WATCH' });

/** All decisions about senders of a domain. */
export const senderDecisionsOf = (domainId: string) => ({ pk: domainPartition(domainId), prefix: 'SENDER#' });

export const senderDecisionKey = (domainId: string, senderId: string): Key => {
  const { pk, prefix } = senderDecisionsOf(domainId);
  return { pk, sk: `${prefix}${senderId}` };
};

export const attestationsKey = (domainId: string): Key => ({
  pk: domainPartition(domainId),
  sk: 'ATTESTATIONS',
});

/** The policy that the domain is ready for. */
export const nextPolicyKey = (domainId: string): Key => ({
  pk: domainPartition(domainId),
  sk: 'NEXTPOLICY',
});

/** The assessment of the last hour. */
export const assessmentKey = (domainId: string): Key => ({ pk: domainPartition(domainId), sk: 'ASSESSMENT' });

/** The dedupe keys of the alerts of a type about reports that were received on a day, and how many there are. */
export const alertedKey = (
  domainId: string,
  type: string,
  { day, list }: { readonly day: string; readonly list?: string | undefined },
): Key => alertDedupeKey(domainId, `${type}#${list === undefined ? '' : `${list}#`}${day}`);

/** A dedupe key that is used again after some days of silence. In the first layout, each dedupe key had such an item. */
export const alertDedupeKey = (domainId: string, dedupeKey: string): Key => ({
  pk: domainPartition(domainId),
  sk: `ALERTED#${dedupeKey}`,
});

export const notificationSettingsKey = (organization: string): Key => ({
  pk: organizationPartition(organization),
  sk: 'NOTIFICATION',
});

/** A pending notification on a channel about the organization itself. */
export const organizationPendingKey = (organization: string, channel: string, event: string): Key => ({
  pk: organizationPartition(organization),
  sk: `PENDING#${channel}#${event}`,
});
/** What a secret of an organization is for, and its sort key. */
const secretNames = { webhook: 'WEBHOOK' } as const;

export type SecretPurpose = keyof typeof secretNames;

export const secretKey = ({
  organization,
  purpose,
}: {
  readonly organization: string;
  readonly purpose: SecretPurpose;
}): Key => ({ pk: `${partitions.secrets}${organization}`, sk: secretNames[purpose] });

/** A pending notification on a channel. It is in the domain's partition and deleted with it. */
export const pendingKey = (domainId: string, channel: string, alert: string): Key => ({
  pk: domainPartition(domainId),
  sk: `PENDING#${channel}#${alert}`,
});

/**
 * Pending notifications of a kind, by due time. Each kind has its own partitions, so that a backlog of digests does not
 * delay alerts. What is sent together is in one shard, and with the same due time next to each other.
 */
export const pendingIndexKey = (kind: NotificationKind, organization: string, at: string) => ({
  gsi1pk: pendingShardKey(kind, notificationShardOf(organization)),
  gsi1sk: pendingTime(at, organization),
});

const pendingShardKey = (kind: NotificationKind, shard: number): string =>
  `${indexPartitions['pending-notifications']}#${kind}#${shard}`;

/** The sort key in that index of a notification that is due at `at`. */
export const pendingTime = (at: string, organization: string): string => `${at}#${organization}`;

/** The upper limit of that index for everything that is due by `at`: `~` sorts after all ids. */
export const pendingDueBy = (kind: NotificationKind, shard: number, at: string) => ({
  gsi1pk: pendingShardKey(kind, shard),
  gsi1sk: pendingTime(at, '~'),
});

/** The position of the notification settings of an organization, by when its digest is due. */
export const digestPlanKey = (organization: string, at: string) => ({
  gsi1pk: digestPlansDueBy(notificationShardOf(organization), at).gsi1pk,
  gsi1sk: pendingTime(at, organization),
});

/** The upper limit of a shard of that index for everything that is due by `at`. */
export const digestPlansDueBy = (shard: number, at: string) => ({
  gsi1pk: `${indexPartitions['pending-notifications']}#plan#${shard}`,
  gsi1sk: pendingTime(at, '~'),
});

export const deliveryKey = (id: string): Key => ({ pk: `${partitions.deliveries}${id}`, sk: 'DELIVERY' });

/** An entry of the list of an organization's deliveries. Ids are UUIDv7, so keys sort by time. */
export const deliveryListKey = (organization: string, id: string): Key => ({
  pk: `${partitions['delivery-lists']}${organization}`,
  sk: id,
});

/** The position of a delivery that is neither done nor given up, by the time at which a new message for it is due. */
export const deliveryIndexKey = (kind: NotificationKind, organization: string, at: string) =>
  deliveriesDueBy(kind, notificationShardOf(organization), at);

/** The upper limit of a shard of that index for everything that is due by `at`. */
export const deliveriesDueBy = (kind: NotificationKind, shard: number, at: string) => ({
  gsi1pk: `${indexPartitions['unfinished-deliveries']}#${kind}#${shard}`,
  gsi1sk: at,
});

export const seenSelectorsKey = (domainId: string): Key => ({
  pk: domainPartition(domainId),
  sk: 'SELECTORS',
});

/** Selectors from anonymous mail tests, stored under the domain name and not in a customer's partition. */
export const testedSelectorsKey = (domain: string): Key => ({
  pk: `${partitions['tested-selectors']}${domain}`,
  sk: 'SELECTORS',
});

export const deletionKey = (id: string): Key => ({ pk: partitions.deletions, sk: id });

export const spfShareKey = (shareId: string): Key => ({
  pk: `${partitions['spf-shares']}${shareId}`,
  sk: 'SHARE',
});

export const domainCheckShareKey = (shareId: string): Key => ({
  pk: `${partitions['domain-checks']}${shareId}`,
  sk: 'SHARE',
});

/** Recent results for an organization that owns the domain, or for everybody. */
export const domainCheckKey = (domain: string, owner: string | null): Key => ({
  pk: `${partitions['domain-checks']}${domain}`,
  sk: owner === null ? 'RECENT' : `RECENT#${owner}`,
});

export const badgeKey = (token: string): Key => ({ pk: `${partitions.badges}${token}`, sk: 'BADGE' });

export const testSessionKey = (testId: string): Key => ({
  pk: `${partitions['test-sessions']}${testId}`,
  sk: 'SESSION',
});

export const rateKey = (what: string, who: string): Key => ({
  pk: `${partitions['rate-limits']}${what}#${who}`,
  sk: 'RATE',
});

/** A rate limit that counts passes without listing them. */
export const slidingRateKey = (what: string, who: string): Key => ({
  pk: `${partitions['rate-limits']}${what}#${who}`,
  sk: 'PASSES',
});

/** One shard of the index of due domains. */
export const dueShardKey = (shard: number): string => `${indexPartitions['due-domains']}${shard}`;

/** The position of a verified domain in the index of due domains; `nextCheckAt` is in ISO form. */
export const dueIndexKey = (id: string, nextCheckAt: string) => ({
  gsi1pk: dueShardKey(shardOf(id, DUE_SHARDS)),
  gsi1sk: nextCheckAt,
});

const shardOf = (id: string, shards: number): number =>
  createHash('sha256').update(id).digest().readUInt8(0) % shards;
