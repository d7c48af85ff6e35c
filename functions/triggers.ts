/** Everything that runs without an HTTP request, a row each; read by both hosts like `routes.ts`. */
import { ATTEMPTS, RETRY_SECONDS } from '../shared/notify/retry.ts';
import type { InboundMail, QueueName, Trigger } from '../shared/runtime/trigger.ts';

export const triggers = {
  drainDeletedDomain: {
    name: 'drainDeletedDomain',
    handler: 'maintenance/drain-deleted-domain',
    source: { kind: 'queue', queue: 'deletions', batchSize: 1, maxReceiveCount: 5 },
    summary: 'Deletes what is known about a removed domain',
    errorImpact: 'Reports, checks and alerts of removed domains stay stored.',
    timeoutSeconds: 60,
    memoryMegabytes: 256,
    uses: ['table:write', 'queue:deletions', 'report-mail:delete'],
  },
  resumeDeletions: {
    name: 'resumeDeletions',
    handler: 'maintenance/resume-deletions',
    source: { kind: 'schedule', everySeconds: 300 },
    summary: 'Asks again for deletions that were not finished',
    errorImpact: 'A deletion that a crash interrupted is not resumed.',
    timeoutSeconds: 30,
    memoryMegabytes: 256,
    uses: ['table:write', 'queue:deletions'],
  },
  receiveReportMail: {
    name: 'receiveReportMail',
    handler: 'reports/receive',
    source: { kind: 'queue', queue: 'reports', batchSize: 1, maxReceiveCount: 5 },
    summary: 'Reads a report mail and stores the reports in it',
    errorImpact: 'Reports arrive and are kept, but are not read and do not show.',
    timeoutSeconds: 120,
    memoryMegabytes: 1024,
    uses: ['table:write', 'report-mail:read', 'report-mail:delete', 'dns'],
    partitions: ['MAILBOX#', 'ORG#', 'DOMAIN#', 'RATE#'],
  },
  sweepDueDomains: {
    name: 'sweepDueDomains',
    handler: 'monitoring/sweep',
    // A minute is the shortest rhythm of EventBridge Scheduler.
    source: { kind: 'schedule', everySeconds: 60, keepsUpWith: 'CHECK_INTERVAL_SECONDS' },
    summary: 'Sends the domains that are due to be checked',
    errorImpact: 'Verified domains are not checked by themselves, so nobody is alerted.',
    timeoutSeconds: 50,
    memoryMegabytes: 512,
    uses: ['table:write', 'queue:checks', 'size:checks'],
  },
  checkDomain: {
    name: 'checkDomain',
    handler: 'monitoring/check-domain',
    source: { kind: 'queue', queue: 'checks', batchSize: 5, maxReceiveCount: 3 },
    summary: 'Checks a domain that is due, and raises alerts on what changed',
    errorImpact: 'Some verified domains are not checked, so their owners are not alerted.',
    timeoutSeconds: 60,
    memoryMegabytes: 1024,
    uses: ['table:write', 'queue:checks', 'dns', 'probes'],
  },
  receiveTestMail: {
    name: 'receiveTestMail',
    handler: 'inbound-tester/receive',
    source: { kind: 'queue', queue: 'tester', batchSize: 1, maxReceiveCount: 3 },
    summary: 'Analyses a test message and completes its session',
    errorImpact: 'Tests of outgoing mail stay pending.',
    timeoutSeconds: 60,
    // A whole processor, and room for the largest message and its canonical form.
    memoryMegabytes: 1769,
    uses: ['table:write', 'test-mail:read', 'test-mail:delete', 'dns'],
    partitions: ['TEST#', 'NAME#'],
  },
  gatherNotifications: {
    name: 'gatherNotifications',
    handler: 'notifications/gather',
    source: { kind: 'schedule', everySeconds: 60, keepsUpWith: 'CHECK_INTERVAL_SECONDS' },
    summary: 'Sends alerts that are to be told by now, and daily digests',
    errorImpact: 'Nobody is told of alerts by mail or webhook; they are listed all the same.',
    timeoutSeconds: 50,
    memoryMegabytes: 512,
    uses: ['table:write', 'queue:notifications'],
  },
  deliverNotification: {
    name: 'deliverNotification',
    handler: 'notifications/deliver',
    source: {
      kind: 'queue',
      queue: 'notifications',
      batchSize: 10,
      maxReceiveCount: ATTEMPTS,
      pausesSeconds: RETRY_SECONDS,
    },
    summary: 'Tells an organization of alerts, by mail or webhook',
    errorImpact: 'Some organizations are not told of alerts by mail or webhook.',
    timeoutSeconds: 30,
    memoryMegabytes: 512,
    uses: ['table:write', 'postpone:notifications', 'mail:send', 'dns'],
  },
} as const satisfies Record<string, Trigger>;

/** The mail that comes in from outside: by SES in the cloud, by the SMTP listener on one machine. */
export const inboundMail = {
  reports: {
    domainKey: 'REPORTS_DOMAIN',
    localParts: 'report-mailboxes',
    prefix: 'reports/',
    queue: 'reports',
  },
  tester: {
    domainKey: 'TESTER_DOMAIN',
    localParts: 'test-sessions',
    prefix: 'tester/',
    queue: 'tester',
  },
} as const satisfies Record<string, InboundMail>;

/** Every queue with the environment key that tells handlers its URL. */
export const queues = {
  deletions: { urlKey: 'DELETIONS_QUEUE_URL' },
  checks: { urlKey: 'CHECKS_QUEUE_URL' },
  reports: { urlKey: 'REPORTS_QUEUE_URL' },
  tester: { urlKey: 'TESTER_QUEUE_URL' },
  notifications: { urlKey: 'NOTIFICATIONS_QUEUE_URL' },
} as const satisfies Record<QueueName, { urlKey: string }>;
