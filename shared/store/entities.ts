/**
 * What the table holds: a row for each kind of item. The tables of keys in docs/architecture.md are made from the rows, and
 * nothing that runs imports them.
 */
import * as keys from './keys.ts';

export interface Entity {
  readonly holds: string;
  /** Its keys, in each form that they have. */
  readonly keys: readonly Sample<keys.Key>[];
  /**
   * The requests that find it, besides those of the index; by default only `get`. A query reads a partition, or of it the
   * sort keys between two keys or with a prefix.
   */
  readonly read?: readonly (Request | Sample<keys.Range>)[];
  /** Its positions in the index, and what their partitions list. */
  readonly index?: { readonly at: readonly Sample<keys.IndexKey>[]; readonly lists: string };
}

type Request = 'get' | 'query' | 'query between keys' | 'condition of a write';

/** What a function of keys.ts makes from the names of its arguments, in angle brackets. */
export interface Sample<Made> {
  readonly by: unknown;
  readonly made: Made;
}

const of = <Args extends readonly unknown[], Made>(by: (...args: Args) => Made, ...args: Args) => ({
  by,
  made: by(...args),
});

const [org, id, time, day, begin] = ['<organization>', '<id>', '<time>', '<day>', '<begin>'] as const;
const { reportKinds } = keys;
const notificationKinds = ['alerts', 'digest'] as const;

const attentionIndex = {
  at: [of(keys.attentionIndexKey, org, '<severity, kind, time, domain>')],
  lists: 'What needs a person in an organization, worst first',
};

export const entities: readonly Entity[] = [
  { holds: 'The version of the layout of the table', keys: [of(keys.layoutKey)] },
  { holds: 'Key that signs positions in lists (`pageToken`)', keys: [of(keys.pageKeyKey)] },
  { holds: 'How far the import of an archive is', keys: [of(keys.importKey, '<archive>')] },
  { holds: 'API token: its organization, and until when it is valid', keys: [of(keys.tokenKey, '<hash>')] },
  {
    holds: 'The last day on which a token was used',
    keys: [of(keys.tokenUseKey, org, '<token id>')],
    read: ['query'],
  },
  {
    holds: 'Public key that signed evidence',
    keys: [of(keys.signingKeyKey, '<key id>')],
    read: [of(keys.signingKeys)],
  },
  { holds: 'Entry of the audit log', keys: [of(keys.auditKey, org, time, id)], read: ['query between keys'] },
  {
    holds: 'Request with an idempotency key, and its response, encrypted with a key from the token',
    keys: [of(keys.idempotencyKey, '<token id>', '<key hash>')],
  },
  { holds: 'All organizations, for operators', keys: [of(keys.organizationListKey, org)], read: ['query'] },
  { holds: 'Organization with its limits', keys: [of(keys.organizationKey, org)] },
  {
    holds: 'Copy of each token, for lists',
    keys: [of(keys.organizationTokenKey, org, '<hash>')],
    read: [of(keys.tokensOf, org)],
  },
  {
    holds: 'Person who signs in through the identity provider: where they were last, and what they chose',
    keys: [of(keys.personKey, '<person>')],
  },
  {
    holds: 'That a person signed in with a browser in the last 400 days',
    keys: [of(keys.browserKey, '<person>', '<hash>')],
  },
  {
    holds: 'That a person is a member of an organization, and the token that says what they may do there',
    keys: [of(keys.membershipKey, '<person>', org)],
    read: ['get', of(keys.membershipsOf, '<person>')],
  },
  {
    holds: 'Invitation of a mail address to an organization, with the hash of its secret',
    keys: [of(keys.invitationKey, org, id)],
    read: ['get', of(keys.invitationsOf, org)],
  },
  {
    holds: 'Domain, with its proof of ownership, schedule and latest scores',
    keys: [of(keys.domainKey, org, id)],
    read: ['get', of(keys.domainsOf, org)],
    index: { at: [of(keys.dueIndexKey, id, time)], lists: 'Domains by their next check, in eight shards' },
  },
  {
    holds: 'Keeps a name from being registered twice',
    keys: [of(keys.domainNameKey, org, '<domain>')],
    read: ['get', 'condition of a write'],
  },
  {
    holds: 'Filters of the list of domains that were saved under a name',
    keys: [of(keys.savedViewsKey, org)],
  },
  {
    holds: 'Which compliance profiles the organization follows, and its own ones',
    keys: [of(keys.complianceSettingsKey, org)],
  },
  {
    holds: 'Notification settings, and when the last mail was sent',
    keys: [of(keys.notificationSettingsKey, org)],
    index: {
      at: [of(keys.digestPlanKey, org, time)],
      lists: 'Organizations by when their digest is due, in 16 shards',
    },
  },
  {
    holds: 'Notification that is not in a delivery yet, about a domain or the organization',
    keys: [
      of(keys.pendingKey, id, '<channel>', '<alert>'),
      of(keys.organizationPendingKey, org, '<channel>', '<event>'),
    ],
    read: [],
    index: {
      at: notificationKinds.map((kind) => of(keys.pendingIndexKey, kind, org, time)),
      lists: 'Notifications by when they are due, in 16 shards of each kind',
    },
  },
  {
    holds: 'What needs a person about a domain, while its condition lasts, and until when it is put off',
    keys: [of(keys.attentionKey, id, '<kind>')],
    read: [of(keys.attentionOf, id)],
    index: attentionIndex,
  },
  {
    holds: 'What needs a person about a channel, while its condition lasts',
    keys: [of(keys.channelAttentionKey, org, '<channel>', '<kind>')],
    index: attentionIndex,
  },
  {
    holds: 'What needs a person about a mailbox from which reports are fetched, while its condition lasts',
    keys: [of(keys.mailboxAttentionKey, org, id, '<kind>')],
    index: attentionIndex,
  },
  {
    holds: 'Compact rows of domains, for filters and orders, in 64 shards',
    keys: [of(keys.directoryShardKey, org, '<shard>')],
    read: ['get', of(keys.directoryShardsOf, org)],
  },
  {
    holds: 'Changes of a domain that are not in its shard of the directory yet',
    keys: [of(keys.directoryChangeKey, org, '<shard>', '<domain id>')],
    read: [of(keys.directoryChangesOf, org), of(keys.directoryChangesOf, org, '<shard>')],
  },
  {
    holds:
      'Session of the console, or one-time link that starts one: its API token, its last use and its end',
    keys: (['SESSION', 'LINK'] as const).map((kind) => of(keys.sessionKey, kind, org, '<token id>#<hash>')),
    read: ['get', of(keys.sessionsOf, 'SESSION', org), of(keys.sessionsOf, 'SESSION', org, '<token id>')],
  },
  {
    holds:
      'What a form of the console did, for the page that it leads to, sealed with the text of the session',
    keys: [of(keys.sessionKey, 'FLASH', org, '<token id>#<hash>#<flash id>')],
  },
  {
    holds: 'URL and secret of the webhook, encrypted with the key of the service',
    keys: [of(keys.secretKey, { organization: org, purpose: 'webhook' })],
  },
  {
    holds: 'Mailbox from which reports are fetched: its settings, how far it was read, and its lease',
    keys: [of(keys.fetchedMailboxKey, org, id)],
    read: ['get', of(keys.fetchedMailboxesOf, org)],
    index: {
      at: [of(keys.mailboxDueKey, id, time)],
      lists: 'Mailboxes by when they are read next, in eight shards',
    },
  },
  {
    holds: 'What signs in to such a mailbox, encrypted with the key of the service',
    keys: [of(keys.secretKey, { organization: org, purpose: `mailbox ${id}` })],
  },
  { holds: 'Report mailbox: its domain', keys: [of(keys.mailboxKey, '<local part>')] },
  { holds: 'Badge: its domain', keys: [of(keys.badgeKey, '<token>')] },
  {
    holds: 'Removed domain whose partition is not empty yet',
    keys: [of(keys.deletionKey, '<domain id>')],
    read: ['get', 'query'],
  },
  {
    holds:
      'Latest check results, since when a check has had no result, and which certificates the MX hosts served',
    keys: [of(keys.checksKey, id)],
  },
  {
    holds:
      'Evidence of a check run that changed something: its lookups, answers and results. The latest one is kept until another one replaces it',
    keys: [of(keys.evidenceKey, id, time)],
    read: [of(keys.evidenceOf, id)],
  },
  {
    holds: 'Certificate that evidence names',
    keys: [of(keys.evidenceCertificateKey, id, '<certificate hash>')],
  },
  {
    holds: 'History of changes and scores',
    keys: [of(keys.checksEntryKey, id, time), of(keys.scoreEntryKey, id, time)],
    read: [of(keys.checksHistoryOf, id), of(keys.scoreHistoryOf, id)],
    index: {
      at: [of(keys.changesIndexKey, org, time, '<domain>')],
      lists: 'Changes of the domains of an organization, by time',
    },
  },
  { holds: 'Monitor state: baseline and pending change', keys: [of(keys.monitorStateKey, id)] },
  {
    holds: 'Decision of the owner about a sender',
    keys: [of(keys.senderDecisionKey, id, '<sender>')],
    read: [of(keys.senderDecisionsOf, id)],
  },
  { holds: 'What the owner attested for enforcement', keys: [of(keys.attestationsKey, id)] },
  {
    holds:
      'The policy that the domain is ready for, and the senders that need a person, assessed once a day when reports arrive',
    keys: [of(keys.nextPolicyKey, id)],
  },
  {
    holds: 'What the registry last said about the domain, and when to ask it again',
    keys: [of(keys.registrationKey, id)],
  },
  {
    holds: 'Which blocklists listed an address of the domain, and when they were asked',
    keys: [of(keys.blocklistingsKey, id)],
  },
  { holds: 'The assessment of enforcement of the last hour', keys: [of(keys.assessmentKey, id)] },
  {
    holds: 'Alert, once per list that it is in',
    keys: [of(keys.alertKey, id, '<alert>'), of(keys.alertKey, id, '<alert>', '@<list>')],
    read: ['get', of(keys.alertsOf, id, ''), of(keys.alertsOf, id, '@<list>')],
    index: {
      at: [of(keys.alertIndexKey, org, '<alert>'), of(keys.alertIndexKey, org, '<alert>', '@<list>')],
      lists: 'Alerts of an organization, per list',
    },
  },
  {
    holds:
      'Dedupe keys of the alerts of a type about reports that were received on a day, and how many there are',
    keys: [of(keys.alertedKey, id, '<type>', { day })],
  },
  {
    holds:
      'A day of the last week in which a reporter sent a report of a kind, so that the first one after 90 days raises an alert; kept for 91 days',
    keys: [of(keys.alertDedupeKey, id, '<dedupe key>')],
  },
  {
    holds: 'Report',
    keys: reportKinds.map((kind) => of(keys.reportKey, kind, id, begin, '<report>')),
    read: ['get', 'query between keys'],
  },
  {
    holds: 'Rows of a large report',
    keys: reportKinds.map((kind) =>
      of(keys.reportRowsKey, kind, id, { id: '<report>', rowsHash: '<content>', n: 1 }),
    ),
  },
  {
    holds: 'Sums of a day, and the reports of the day that are not rolled up yet',
    keys: reportKinds.map((kind) => of(keys.reportDayKey, kind, id, day)),
    read: ['get', 'query between keys'],
  },
  {
    holds: 'What is rolled up of a day: its sums by part, and record summaries of DMARC reports',
    keys: reportKinds.map((kind) => of(keys.reportRollUpKey, kind, id, day)),
    read: ['get', 'query between keys'],
  },
  {
    holds: 'That a report was deleted, so that it is not stored when it arrives again',
    keys: reportKinds.map((kind) => of(keys.deletedReportKey, kind, id, '<report>')),
    read: ['get', 'condition of a write'],
  },
  {
    holds: 'Report that contradicts a stored one',
    keys: reportKinds.map((kind) => of(keys.reportConflictKey, kind, id, '<report>', '<hash>')),
    read: ['condition of a write'],
  },
  {
    holds: 'Report mail: sender, subject, what became of it, and where the raw message is',
    keys: [of(keys.reportMailKey, id, time, '<message>')],
    read: ['get', of(keys.reportMailsOf, id)],
  },
  {
    holds: 'DKIM selectors that reports named, and when large receivers last did',
    keys: [of(keys.seenSelectorsKey, id)],
  },
  {
    holds: 'That a domain publishes a DKIM key itself, so that other domains with the same key are found',
    keys: [of(keys.publishedKeyKey, id, '<key hash>')],
    read: [],
    index: {
      at: [of(keys.publishedKeyIndexKey, org, '<key hash>', '<domain>')],
      lists: 'Domains of an organization that publish a DKIM key',
    },
  },
  { holds: 'DKIM selectors that mail tests proved', keys: [of(keys.testedSelectorsKey, '<domain>')] },
  {
    holds: 'DMARC reports of the last 30 days, summed: of each domain, and of all',
    keys: [of(keys.domainSumsKey, org, id), of(keys.organizationSumsKey, org)],
    read: ['get', of(keys.domainSumsOf, org)],
  },
  {
    holds: 'Delivery of alerts and events by mail or webhook, and what became of it',
    keys: [of(keys.deliveryKey, id)],
    index: {
      at: notificationKinds.map((kind) => of(keys.deliveryIndexKey, kind, org, time)),
      lists:
        'Deliveries that no worker has taken yet, by when to queue them again, in 16 shards of each kind',
    },
  },
  {
    holds: "Entry of the list of an organization's deliveries",
    keys: [of(keys.deliveryListKey, org, '<delivery>')],
    read: ['query'],
  },
  { holds: 'Saved SPF result', keys: [of(keys.spfShareKey, '<share id>')] },
  { holds: 'Saved result of the domain checker', keys: [of(keys.domainCheckShareKey, '<share id>')] },
  {
    holds: 'Results of the domain checker of the last minute; those for an owner contain the report mailbox',
    keys: [of(keys.domainCheckKey, '<domain>', null), of(keys.domainCheckKey, '<domain>', org)],
  },
  { holds: 'Mail-test session and its result', keys: [of(keys.testSessionKey, '<test id>')] },
  {
    holds: 'Rate limit',
    keys: [of(keys.rateKey, '<what>', '<who>'), of(keys.slidingRateKey, '<what>', '<who>')],
  },
];
