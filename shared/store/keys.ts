/**
 * Every key of the table, in one place.
 *
 * | question                                    | read                                               |
 * |---------------------------------------------|----------------------------------------------------|
 * | whose token is this?                        | get  TOKEN#<hash>                                  |
 * | which organizations are there?              | query ORGS                                         |
 * | the tokens of an organization               | query ORG#<org>, TOKEN#                            |
 * | the domains of an organization, in order    | query ORG#<org>, DOMAIN#                           |
 * | one domain of an organization               | get  ORG#<org>, DOMAIN#<id>                        |
 * | is this name taken in the organization?     | the condition on ORG#<org>, NAME#<domain>          |
 * | whose mailbox is this?                      | get  MAILBOX#<local part>                          |
 * | the latest checks of a domain               | get  DOMAIN#<id>, CHECKS                           |
 * | when did its checks change, when its score? | query DOMAIN#<id>, CHECKS#<time> or SCORE#<time>   |
 * | everything about a domain (to delete it)    | query DOMAIN#<id>                                  |
 * | which domains are due?                      | query gsi1 DUE#<shard>, up to now                  |
 * | which deletions are not finished?           | query DELETION                                     |
 * | the shared SPF result behind a link         | get  SPF#<share id>                                |
 * | whose badge is this?                        | get  BADGE#<token>                                 |
 * | a test of a message, and its results        | get  TEST#<test id>                                |
 * | how many requests lately?                   | get  RATE#<what>#<who>, then update                |
 * | the reports of a domain, newest first       | query DOMAIN#<id>, <kind>#<begin>#<report>         |
 * | how many reports and messages on which days | query DOMAIN#<id>, <kind>DAY#<day>                 |
 * | the same by parts of a day, and by source   | query DOMAIN#<id>, <kind>DETAIL#<day>              |
 * | the rows of a large report                  | get  DOMAIN#<id>, <kind>ROWS#<report>#<rows>#<n>   |
 * | reports that contradict one that is stored  | query DOMAIN#<id>, <kind>CONFLICT#                 |
 * | which report mails came, and what became    | query DOMAIN#<id>, MAIL#<received>#<message>       |
 * | the alerts of a domain, in order            | query DOMAIN#<id>, ALERT<list>#<alert>             |
 * | the alerts of an organization, in order     | query gsi1 ORG#<org>#ALERTS<list>                  |
 * | which alert of the organization is this?    | query gsi1 ORG#<org>#ALERTS, <alert>               |
 * | what was told about a domain?               | get  DOMAIN#<id>, WATCH                            |
 * | was this alert raised before?               | the condition on DOMAIN#<id>, ALERTED#<occasion>   |
 * | whom does an organization want to be told?  | get  ORG#<org>, NOTIFICATION                       |
 * | which alerts are to be told by now?         | query gsi1 PENDING, up to now                      |
 * | one delivery of alerts                      | get  DELIVERY#<delivery>                           |
 * | which deliveries has no worker yet?         | query gsi1 DELIVERIES, up to now                   |
 * | which DKIM selectors did reports name?      | get  DOMAIN#<id>, SELECTORS                        |
 * | which DKIM selectors did mail tests prove?  | get  NAME#<domain>, SELECTORS                      |
 *
 * An organization is part of the key of what it owns, so a token cannot reach another's; what is known about a
 * domain lies in the domain's own partition, so that deleting it is emptying a partition.
 */
import { createHash } from 'node:crypto';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The table as both hosts create it. TTL is in seconds since 1970; readers compare it themselves, for it lags. */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLive: 'expiresAt',
  index: { name: 'gsi1', partitionKey: 'gsi1pk', sortKey: 'gsi1sk' },
} as const;

/** Spreads the index of due domains over this many partitions. */
export const DUE_SHARDS = 8;

const prefix = { domain: 'DOMAIN#', name: 'NAME#', token: 'TOKEN#' } as const;

export const organizationKey = (organization: string): Key => ({ pk: `ORG#${organization}`, sk: 'ORG' });

/** The list of all organizations, for operators. */
export const organizationListKey = (organization: string): Key => ({ pk: 'ORGS', sk: organization });

export const tokenKey = (tokenHash: string): Key => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' });

export const organizationTokenKey = (organization: string, tokenHash: string): Key => ({
  pk: `ORG#${organization}`,
  sk: `${prefix.token}${tokenHash}`,
});

/** All tokens of an organization. */
export const tokensOf = (organization: string) => ({ pk: `ORG#${organization}`, prefix: prefix.token });

export const domainKey = (organization: string, id: string): Key => ({
  pk: `ORG#${organization}`,
  sk: `${prefix.domain}${id}`,
});

/** All domains of an organization, in the order of their registration. */
export const domainsOf = (organization: string) => ({ pk: `ORG#${organization}`, prefix: prefix.domain });

export const domainNameKey = (organization: string, domain: string): Key => ({
  pk: `ORG#${organization}`,
  sk: `${prefix.name}${domain}`,
});

export const mailboxKey = (localPart: string): Key => ({ pk: `MAILBOX#${localPart}`, sk: 'MAILBOX' });

/** The partition that holds everything known about a domain. */
export const domainPartition = (id: string): string => `DOMAIN#${id}`;

export const checksKey = (id: string): Key => ({ pk: domainPartition(id), sk: 'CHECKS' });

/** What changed about a domain when, by the ISO time of the run of checks that found it. */
export const checksHistoryOf = (id: string) => ({ pk: domainPartition(id), prefix: 'CHECKS#' });

export const scoreHistoryOf = (id: string) => ({ pk: domainPartition(id), prefix: 'SCORE#' });

/** `DMARC` or `TLS`: how the sort keys of everything about such reports begin. */
export type ReportKind = 'DMARC' | 'TLS';

/** `begin` in ISO form to the millisecond, so that key order is time order. */
export const reportKey = (kind: ReportKind, domainId: string, begin: string, id: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}#${begin}#${id}`,
});

/** A chunk of a report's rows; `content` tells one sequence of rows from every other one. */
export const reportRowsKey = (
  kind: ReportKind,
  domainId: string,
  { id, content, n }: { id: string; content: string; n: number },
): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}ROWS#${id}#${content}#${String(n).padStart(4, '0')}`,
});

/** `day` in the form `2026-01-31`. */
export const reportDayKey = (kind: ReportKind, domainId: string, day: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}DAY#${day}`,
});

export const reportDetailKey = (kind: ReportKind, domainId: string, day: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${kind}DETAIL#${day}`,
});

export const reportConflictKey = (
  kind: ReportKind,
  domainId: string,
  id: string,
  contentHash: string,
): Key => ({ pk: domainPartition(domainId), sk: `${kind}CONFLICT#${id}#${contentHash}` });

/** A mail that came to a domain's report mailbox; `receivedAt` in ISO form, so that key order is time order. */
export const reportMailKey = (domainId: string, receivedAt: string, messageId: string): Key => ({
  pk: domainPartition(domainId),
  sk: `${reportMailsOf(domainId).prefix}${receivedAt}#${messageId}`,
});

export const reportMailsOf = (domainId: string) => ({ pk: domainPartition(domainId), prefix: 'MAIL#' });

/**
 * The lists that an alert stands in, once each: all alerts, those of its severity, the unread ones, and the unread ones
 * of its severity. So each filter of the alerts is a range of its own, and nobody reads what is not shown.
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

/** All alerts of a domain that are in a list. */
export const alertsOf = (domainId: string, list: string) => ({
  pk: domainPartition(domainId),
  prefix: `ALERT${list}#`,
});

/** An alert in a list; ids are UUIDv7, so key order is the order in which alerts were raised. */
export const alertKey = (domainId: string, id: string, list = ''): Key => {
  const { pk, prefix } = alertsOf(domainId, list);
  return { pk, sk: `${prefix}${id}` };
};

/** Where an alert stands among those of its organization that are in a list. */
export const alertIndexKey = (organization: string, id: string, list = '') => ({
  gsi1pk: `ORG#${organization}#ALERTS${list}`,
  gsi1sk: id,
});

/** What is remembered of a domain between checks, for its alerts. */
export const watchKey = (domainId: string): Key => ({ pk: domainPartition(domainId), sk: 'WATCH' });

/** What an alert is raised once for. */
export const alertOccasionKey = (domainId: string, occasion: string): Key => ({
  pk: domainPartition(domainId),
  sk: `ALERTED#${occasion}`,
});

export const notificationKey = (organization: string): Key => ({
  pk: `ORG#${organization}`,
  sk: 'NOTIFICATION',
});

/** That an alert is to be told by a channel: in the partition of its domain, and with it gone. */
export const pendingKey = (domainId: string, channel: string, alert: string): Key => ({
  pk: domainPartition(domainId),
  sk: `PENDING#${channel}#${alert}`,
});

/** Where what is to be told stands in the order of time; a million domains raise fewer alerts than a partition takes. */
export const pendingIndexKey = (at: string) => ({ gsi1pk: 'PENDING', gsi1sk: at });

export const deliveryKey = (id: string): Key => ({ pk: `DELIVERY#${id}`, sk: 'DELIVERY' });

/** Where a delivery stands until a worker has it, by the time at which it is sent to one again. */
export const deliveryIndexKey = (at: string) => ({ gsi1pk: 'DELIVERIES', gsi1sk: at });

export const seenSelectorsKey = (domainId: string): Key => ({
  pk: domainPartition(domainId),
  sk: 'SELECTORS',
});

/** Of a name, whoever has registered it: what anonymous tests of mail write lies in nobody's partition. */
export const testedSelectorsKey = (domain: string): Key => ({ pk: `NAME#${domain}`, sk: 'SELECTORS' });

export const deletionKey = (id: string): Key => ({ pk: 'DELETION', sk: id });

export const spfShareKey = (shareId: string): Key => ({ pk: `SPF#${shareId}`, sk: 'SHARE' });

export const badgeKey = (token: string): Key => ({ pk: `BADGE#${token}`, sk: 'BADGE' });

export const testSessionKey = (testId: string): Key => ({ pk: `TEST#${testId}`, sk: 'SESSION' });

export const rateKey = (what: string, who: string): Key => ({ pk: `RATE#${what}#${who}`, sk: 'RATE' });

/** The passes of a limit that are counted and not listed. */
export const slidingRateKey = (what: string, who: string): Key => ({
  pk: `RATE#${what}#${who}`,
  sk: 'PASSES',
});

/** A part of the index of due domains. */
export const dueShardKey = (shard: number): string => `DUE#${shard}`;

/** Where a verified domain stands in the index of due domains; its time is `nextCheckAt` in ISO form. */
export const dueIndexKey = (id: string, nextCheckAt: string) => ({
  gsi1pk: dueShardKey(createHash('sha256').update(id).digest().readUInt8(0) % DUE_SHARDS),
  gsi1sk: nextCheckAt,
});
