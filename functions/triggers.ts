/** Everything that runs without an HTTP request, one row each. Both hosts read it, like `routes.ts`. */
import { ATTEMPTS, RETRY_SECONDS } from '../shared/notify/retry.ts';
import type { InboundMail, Trigger } from '../shared/runtime/workers/trigger.ts';

/** The memory with which Lambda gives a function one full vCPU. */
const FULL_CPU_MEGABYTES = 1769;

/** Invocations that share the shards of each kind of notification: see docs/cost-and-scale.md. */
const GATHER_PARTS = 4;

/** What queues what is due to be sent: as often as domains are checked. */
const gathering = {
  source: {
    kind: 'schedule',
    everySeconds: 60,
    keepsUpWith: 'CHECK_INTERVAL_SECONDS',
    parts: GATHER_PARTS,
  },
  timeoutSeconds: 50,
  memoryMegabytes: FULL_CPU_MEGABYTES,
} as const;

const gathered = [
  'pending-notifications:list',
  'unfinished-deliveries:list',
  'organizations:write',
  'domain-data:write',
  'deliveries:write',
  'delivery-lists:write',
] as const;

/** A queue from which deliveries are made, each until it succeeds or was tried often enough. */
const deliveries = {
  kind: 'queue',
  batchSize: 10,
  places: 10,
  maxReceiveCount: ATTEMPTS,
  pausesSeconds: RETRY_SECONDS,
} as const;

export const triggers = {
  drainDeletedDomain: {
    name: 'drainDeletedDomain',
    handler: 'maintenance/drain-deleted-domain',
    source: { kind: 'queue', queue: 'deletions', batchSize: 1, places: 1, maxReceiveCount: 5 },
    summary: 'Deletes the data of a removed domain',
    errorImpact: 'The reports, check results, and alerts of removed domains are not deleted.',
    timeoutSeconds: 60,
    memoryMegabytes: 256,
    uses: ['deletions:write', 'domain-data:write', 'mailboxes:read', 'queue:deletions', 'report-mail:delete'],
  },
  resumeDeletions: {
    name: 'resumeDeletions',
    handler: 'maintenance/resume-deletions',
    source: { kind: 'schedule', everySeconds: 300 },
    summary: 'Resumes unfinished deletions',
    errorImpact: 'Deletions that were interrupted by a crash are not completed.',
    timeoutSeconds: 30,
    memoryMegabytes: 256,
    uses: ['deletions:read', 'queue:deletions'],
  },
  queueReceivedMail: {
    name: 'queueReceivedMail',
    handler: 'inbound-mail/queue',
    source: { kind: 'queue', queue: 'arrivals', batchSize: 10, places: 20, maxReceiveCount: 5 },
    summary: 'Queues received mail by mailbox, so that mailboxes take turns',
    errorImpact: 'Mails arrive and are kept, but nothing reads them.',
    timeoutSeconds: 30,
    memoryMegabytes: 256,
    uses: ['queue:reports', 'queue:tester', 'second-mail:take'],
  },
  receiveReportMail: {
    name: 'receiveReportMail',
    handler: 'reports/receive',
    // Reports are about the day before, so that nobody misses a few seconds, and reading a mail is mostly waiting.
    source: {
      kind: 'queue',
      queue: 'reports',
      batchSize: 10,
      batchingSeconds: 20,
      places: 20,
      maxReceiveCount: 5,
    },
    summary: 'Ingests a report mail: parses and stores its reports',
    errorImpact: 'Report mails arrive and are kept, but their reports do not appear.',
    timeoutSeconds: 120,
    memoryMegabytes: 1024,
    uses: [
      'mailboxes:read',
      'organizations:read',
      'domain-data:write',
      'rate-limits:write',
      'report-mail:read',
      'report-mail:delete',
      'queue:summaries',
      'queue-postpone:reports',
      'dns',
    ],
  },
  rollUpSummaries: {
    name: 'rollUpSummaries',
    handler: 'reports/roll-up',
    source: { kind: 'queue', queue: 'summaries', batchSize: 5, places: 5, maxReceiveCount: 5 },
    summary:
      'Rolls up reports by day, sums those of DMARC for the organization, and raises alerts about senders',
    errorImpact:
      'Senders that fail raise no alerts, and the summary of the organization is not up to date. Reading record summaries costs more.',
    timeoutSeconds: 60,
    memoryMegabytes: 1024,
    uses: [
      'organizations:read',
      'domain-data:write',
      'report-sums:write',
      'directory:write',
      'queue:summaries',
    ],
  },
  queueDueMailboxes: {
    name: 'queueDueMailboxes',
    handler: 'mailboxes/queue-due',
    source: { kind: 'schedule', everySeconds: 60 },
    summary: 'Queues the mailboxes that are due to be read',
    errorImpact: 'Reports are not fetched from mailboxes; they wait there.',
    timeoutSeconds: 50,
    memoryMegabytes: 256,
    uses: ['organizations:read', 'due-mailboxes:list', 'fetched-mailboxes:write', 'queue:mailboxes'],
  },
  readMailbox: {
    name: 'readMailbox',
    handler: 'mailboxes/read',
    source: { kind: 'queue', queue: 'mailboxes', batchSize: 1, places: 4, maxReceiveCount: 3 },
    summary: 'Fetches report mails from a mailbox, stores their reports, and acknowledges them there',
    errorImpact: 'Reports of some mailboxes are not fetched; they wait there.',
    timeoutSeconds: 300,
    memoryMegabytes: 1024,
    uses: [
      'fetched-mailboxes:write',
      'mailbox-secrets:read',
      'mailbox-secrets:write',
      'organizations:write',
      'domain-data:write',
      'report-mail:write',
      'queue:mailboxes',
      'queue:summaries',
      'dns',
    ],
  },
  sweepDueDomains: {
    name: 'sweepDueDomains',
    handler: 'monitoring/sweep',
    // One minute is the shortest interval of EventBridge Scheduler.
    source: { kind: 'schedule', everySeconds: 60, keepsUpWith: 'CHECK_INTERVAL_SECONDS' },
    summary: 'Queues the domains that are due for a check',
    errorImpact: 'Verified domains are not checked automatically, so changes raise no alerts.',
    timeoutSeconds: 50,
    memoryMegabytes: 512,
    uses: ['due-domains:list', 'organizations:write', 'queue:checks', 'queue-size:checks'],
  },
  checkDomain: {
    name: 'checkDomain',
    handler: 'monitoring/check-domain',
    source: { kind: 'queue', queue: 'checks', batchSize: 1, places: 30, maxReceiveCount: 5 },
    summary: 'Checks a domain that is due, and raises alerts about changes',
    errorImpact: 'Some verified domains are not checked automatically, so their changes raise no alerts.',
    timeoutSeconds: 60,
    memoryMegabytes: 1024,
    uses: [
      'organizations:write',
      'directory:write',
      'domain-data:write',
      'tested-selectors:read',
      'published-keys:list',
      'queue:checks',
      'queue:summaries',
      'dns',
      'probes',
    ],
  },
  receiveTestMail: {
    name: 'receiveTestMail',
    handler: 'mail-test/receive',
    source: { kind: 'queue', queue: 'tester', batchSize: 10, places: 20, maxReceiveCount: 5 },
    summary: 'Analyzes a test message and completes its test',
    errorImpact: 'Mail tests stay pending.',
    timeoutSeconds: 60,
    // Also enough for the largest message and its canonical form.
    memoryMegabytes: FULL_CPU_MEGABYTES,
    uses: [
      'test-sessions:write',
      'tested-selectors:write',
      'test-mail:read',
      'test-mail:delete',
      'queue-postpone:tester',
      'dns',
    ],
  },
  gatherNotifications: {
    name: 'gatherNotifications',
    handler: 'notifications/gather',
    ...gathering,
    summary: 'Queues notifications that are due',
    errorImpact: 'No alerts are sent by mail or webhook; the API still lists them.',
    uses: [...gathered, 'queue:notifications'],
  },
  gatherDigests: {
    name: 'gatherDigests',
    handler: 'notifications/gather-digests',
    ...gathering,
    summary: 'Queues digests that are due',
    errorImpact: 'No digests are sent; the API still lists alerts and attention items.',
    uses: [...gathered, 'queue:digests'],
  },
  deliverNotification: {
    name: 'deliverNotification',
    handler: 'notifications/deliver',
    source: { ...deliveries, queue: 'notifications' },
    summary: 'Delivers a notification to an organization, by mail or webhook',
    errorImpact: 'Some organizations do not receive alerts by mail or webhook.',
    timeoutSeconds: 30,
    memoryMegabytes: 512,
    uses: [
      'deliveries:write',
      // Of those to members, if gathering them was interrupted.
      'delivery-lists:write',
      'organizations:write',
      'secrets:write',
      'domain-data:read',
      'queue-postpone:notifications',
      'mail:send',
      'events:put',
      'dns',
    ],
  },
  deliverDigest: {
    name: 'deliverDigest',
    handler: 'notifications/deliver-digest',
    source: { ...deliveries, queue: 'digests' },
    summary: 'Delivers a digest to an organization, by mail',
    errorImpact: 'Some organizations do not receive their digest.',
    timeoutSeconds: 30,
    memoryMegabytes: 512,
    uses: [
      'deliveries:write',
      'organizations:write',
      'domain-data:read',
      'alerts:list',
      'attention:list',
      'report-sums:write',
      'queue-postpone:digests',
      'mail:send',
      'dns',
    ],
  },
} as const satisfies Record<string, Trigger>;

/** Inbound mail: received by SES in the cloud and by the SMTP listener on one machine. */
export const inboundMail = {
  reports: {
    domainKey: 'REPORTS_DOMAIN',
    formerKey: 'FORMER_REPORTS_DOMAINS',
    localParts: 'report-mailboxes',
    prefix: 'reports/',
    queue: 'arrivals',
    reader: 'reports',
  },
  tester: {
    domainKey: 'TESTER_DOMAIN',
    formerKey: 'FORMER_TESTER_DOMAINS',
    localParts: 'test-sessions',
    prefix: 'tester/',
    queue: 'arrivals',
    reader: 'tester',
  },
} as const satisfies Record<string, InboundMail>;
