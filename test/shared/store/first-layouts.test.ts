/**
 * Items exactly as the first release wrote them: they must stay readable whatever layouts follow. Never change one. A
 * changed layout gets an additional row, and a step in `item-version.ts`.
 */
import { gzipSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { validToken } from '../../../shared/store/api-tokens.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { monitorStateStore } from '../../../shared/store/check-runs/monitor-states.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { scheduleStore } from '../../../shared/store/domains/schedule.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { mailOutcomeStore } from '../../../shared/store/reports/mail-outcomes.ts';
import { spfShareStore } from '../../../shared/store/spf-shares.ts';
import type { Table } from '../../../shared/store/table.ts';
import { testSessionStore } from '../../../shared/store/test-sessions.ts';
import { emptyResults } from '../../kit/results.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';

const now = new Date('2026-01-10T00:00:00.000Z');
const at = '2026-01-05T08:00:00.000Z';
const reportDay = '2026-01-05';
const [org, id, alertId] = [
  'org-1',
  '019b8c2a-0000-7000-8000-000000000002',
  '019b8c2a-0000-7000-8000-000000000001',
];
const permanent = { retentionDays: 0 };
const packed = (value: unknown) => gzipSync(JSON.stringify(value));
const testId = 'abcdefghijklmnopqrstuvwxyz';
const shareId = '0123456789abcdefghjkmnpq';

interface Row {
  readonly kind: string;
  readonly items: readonly Record<string, unknown>[];
  readonly read: (table: Table) => Promise<unknown>;
  readonly means: unknown;
}

const domain = {
  ...{ id, organization: org, domain: 'example.org', verified: true, verificationToken: 'proof' },
  ...{ usageType: 'sends-only', testEmailLocalPart: null, mailbox: 'box', lastCheckedAt: at },
  ...{ createdAt: at, updatedAt: at },
};
const alert = {
  ...{ id: alertId, domainId: id, domainName: 'example.org', type: 'new_report', severity: 'info' },
  ...{ title: 'A new reporter', message: 'It reports.', read: false, createdAt: at },
  metadata: {
    ...{ reportType: 'dmarc', reportId: '019b8c2a-0000-7000-8000-000000000003', reporter: 'Reporter' },
    ...{ dateRangeBegin: at, dateRangeEnd: at, passed: 7, failed: 0 },
  },
};
const mail = {
  ...{ messageId: 'm1', rawKey: 'reports/m1', alsoFor: [], authentication: null },
  outcomes: [{ kind: 'accepted', source: 'mail', reason: null, reportId: 'r1' }],
};

/** Findings were stored with their text, and results with the messages of their findings. */
const finding = {
  id: 'spf-pass-all',
  severity: 'warning',
  subject: 'example.org',
  arguments: { domain: 'example.org' },
};
const text = { message: 'The record ends in +all.', cites: 'RFC 7208 section 5.1', fix: 'End it with -all.' };
const { nonexistentSubdomainPolicy: _, ...dmarc } = emptyResults().dmarc;
const results = { ...emptyResults(), spf: { ...emptyResults().spf, findings: [{ ...finding, ...text }] } };
const storedResults = {
  ...results,
  dmarc: { ...dmarc, errors: [], warnings: [] },
  spf: { ...results.spf, errors: [], warnings: [text.message] },
};

const change = {
  ...{ check: 'spf', previousState: 'pass', newState: 'warning', omitted: 0 },
  ...{ recordsAdded: [], recordsRemoved: [], findingsRemoved: [] },
  findingsAdded: [{ id: finding.id, subject: finding.subject, severity: finding.severity }],
};

/** The facts that a watch compared; the text of a fault was added later. */
const nothing = { state: 'absent', records: [], faults: [], complete: true };
const watchedFaults = [
  { id: 'spf-pass-all', subject: 'example.org', severity: 'warning' },
  { id: 'spf-ptr', subject: 'example.org', severity: 'warning', sentence: 'It contains ptr.' },
];
const watched = (faults: readonly object[]) => ({
  ...{ score: 40, grade: 'F', confidence: 1, usageType: 'sends-only', rules: 'abc' },
  checks: {
    ...{ mx: nothing, dkim: nothing, dmarc: nothing, mtaSts: nothing, tlsRpt: nothing, bimi: nothing },
    ...{ dnssec: nothing, spf: { ...nothing, state: 'warning', faults } },
  },
});

const sharedExpansion = {
  ...{ domain: 'a.example', status: 'no-record', record: null, version: null, allPolicy: null },
  ...{ mechanisms: [], includeTree: [], lookupBreakdown: [], totalLookupCount: 0, flattenedIps: [] },
  ...{ voidLookupCount: { ip4: 0, ip6: 0 }, detectedProviders: [], recordLength: 0, unknown: [] },
  flattened: { networks: [], merged: [], kept: [], records: [] },
  findings: [{ ...finding, ...text }],
};

const rows: readonly Row[] = [
  {
    kind: 'an organization',
    items: [{ pk: `ORG#${org}`, sk: 'ORG', id: org, name: 'Example Ltd', domainCount: 1, createdAt: at }],
    read: (table) => organizationStore(table).get(org),
    means: expect.objectContaining({ id: org, name: 'Example Ltd', domainCount: 1, domainLimit: null }),
  },
  {
    kind: 'a token',
    items: [
      {
        pk: 'TOKEN#3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0',
        sk: 'TOKEN',
        hash: '3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0',
        ...{ organization: org, name: 'ci', createdAt: at, validUntil: null, revokedAt: null },
      },
    ],
    read: (table) => validToken(table, 'token', now),
    means: expect.objectContaining({
      ...{ id: '3c469e9d-6c58-85d3-8a43-f353d4f88e61', organization: org, name: 'ci' },
      ...{ scope: 'admin', networks: [], expiresAt: null },
    }),
  },
  {
    kind: 'a domain',
    items: [
      {
        ...{ pk: `ORG#${org}`, sk: `DOMAIN#${id}`, version: 1, ...domain },
        ...{ gsi1pk: 'DUE#3', gsi1sk: at },
      },
    ],
    read: async (table) => [
      await domainStore(table).get(org, id),
      await scheduleStore(table).due(3, now, 10),
      await scheduleStore(table).claim({ organization: org, id, dueAt: at }, now, 60),
    ],
    means: [expect.objectContaining(domain), [{ organization: org, id, dueAt: at }], true],
  },
  {
    kind: 'a report mailbox',
    items: [{ pk: 'MAILBOX#box', sk: 'MAILBOX', version: 1, organization: org, id, domain: 'example.org' }],
    read: (table) => domainStore(table).ofMailbox('box'),
    means: { id, organization: org, domain: 'example.org' },
  },
  {
    kind: 'checks',
    items: [
      {
        pk: `DOMAIN#${id}`,
        sk: 'CHECKS',
        version: 1,
        checkedAt: at,
        results: packed(storedResults),
        score: 80,
      },
    ],
    read: (table) => checkStore(table).latest(id),
    means: expect.objectContaining({ checkedAt: at, results, score: 80 }),
  },
  {
    kind: 'the history',
    items: [
      { pk: `DOMAIN#${id}`, sk: `SCORE#${at}`, version: 1, at, score: 80, grade: 'B' },
      { pk: `DOMAIN#${id}`, sk: `CHECKS#${at}`, version: 1, at, changes: [change] },
    ],
    read: async (table) => [
      await historyStore(table, permanent).scores(id, { page: 1, limit: 9 }, now),
      await historyStore(table, permanent).checks(id, { page: 1, limit: 9 }, now),
    ],
    means: [
      { entries: [{ at, score: 80, grade: 'B' }], hasMore: false },
      { entries: [{ at, changes: [change] }], hasMore: false },
    ],
  },
  {
    kind: 'a watch',
    items: [
      {
        pk: `DOMAIN#${id}`,
        sk: 'WATCH',
        version: 1,
        revision: 4,
        watch: packed({ told: watched(watchedFaults), isBelow: true }),
      },
    ],
    read: (table) => monitorStateStore(table, alertStore(table, permanent)).get(id),
    means: {
      state: {
        baseline: watched([
          { ...watchedFaults[0], arguments: {}, message: 'spf-pass-all.' },
          {
            id: 'spf-ptr',
            subject: 'example.org',
            severity: 'warning',
            arguments: {},
            message: 'It contains ptr.',
          },
        ]),
        isBelowThreshold: true,
      },
      revision: 4,
    },
  },
  {
    kind: 'an alert',
    items: ['', '@info', '@unread', '@unread-info'].map((list) => ({
      ...{ pk: `DOMAIN#${id}`, sk: `ALERT${list}#${alertId}`, version: 1, ...alert },
      ...{ gsi1pk: `ORG#${org}#ALERTS${list}`, gsi1sk: alertId },
    })),
    read: async (table) => [
      await alertStore(table, permanent).list(org, { unreadOnly: true }, { page: 1, limit: 9 }, now),
      await alertStore(table, permanent).markRead(org, alertId, now),
    ],
    means: [
      { alerts: [alert], hasMore: false },
      { ...alert, read: true },
    ],
  },
  {
    kind: 'a report mail',
    items: [{ pk: `DOMAIN#${id}`, sk: `MAIL#${at}#m1`, version: 1, ...mail, receivedAt: at }],
    read: async (table) => {
      const found: unknown[] = [];
      for await (const one of mailOutcomeStore(table, permanent).all(id)) found.push(one);
      return found;
    },
    means: [
      {
        ...{ ...mail, receivedAt: new Date(at), from: null, subject: null },
        outcomes: [{ kind: 'accepted', source: 'mail', reason: null }],
      },
    ],
  },
  {
    kind: 'a DMARC report with its day',
    items: [
      {
        ...{ pk: `DOMAIN#${id}`, sk: `DMARC#${reportDay}T00:00:00.000Z#r-1`, version: 1, id: 'r-1' },
        ...{ contentHash: '4136', receivedAt: at, authenticated: true, warnings: 0, rawKey: 'reports/m1' },
        ...{ passed: 7, failed: 0, rows: 1, rowOctets: 40, rowContent: '34bd', rowChunks: 0 },
        inline: gzipSync(`${JSON.stringify({ sourceIp: '192.0.2.1', count: 7 })}\n`),
        report: {
          ...{ kind: 'dmarc', reportId: 'r1', orgName: 'Reporter', email: 'reports@reporter.example' },
          ...{ extraContactInfo: null, dateRangeBegin: `${reportDay}T00:00:00.000Z` },
          ...{ dateRangeEnd: `${reportDay}T23:59:59.000Z`, policyDomain: 'example.org', policyP: 'reject' },
          ...{ policySp: null, policyNp: null, policyAdkim: 'r', policyAspf: 'r', policyPct: 100 },
          ...{ testing: false, generator: null },
        },
      },
      {
        ...{ pk: `DOMAIN#${id}`, sk: `DMARCDAY#${reportDay}`, version: 1, day: reportDay, reports: 1 },
        ...{ passed: 7, failed: 0, dkimAligned: 7, spfAligned: 7, quarantined: 0, rejected: 0 },
      },
      {
        ...{ pk: `DOMAIN#${id}`, sk: `DMARCDETAIL#${reportDay}`, version: 1, day: reportDay, revision: 1 },
        // Its parts, and its sources: messages, passed, by DKIM, by SPF, quarantined, rejected, authenticated as.
        body: Buffer.from(
          'H4sIAAAAAAAAAz3KQQqAIBRF0b288UO+DZLcivyBhNBAKtQgCPceEsSZXe6DM5ZW4R+IzPDB0lG0E+luJY5ej6usqcKHALtMRsxkLBgcP0JR7lfOqsTRtlTGK/xp7y8/KKJ8ZwAAAA==',
          'base64',
        ),
      },
    ],
    read: async (table) => {
      const store = dmarcReportStore(table, permanent);
      const window = { from: `${reportDay}T00:00:00.000Z`, until: '2026-02-01T00:00:00.000Z' };
      const { reports, summary } = await store.list(id, { window, page: 1, limit: 9 }, now);
      const rows = await Promise.all(reports.map(async (one) => [...(await store.rowsOf(id, one))]));
      const { sources } = await store.sources(id, { from: reportDay, to: reportDay }, now);
      return [summary, reports.map(({ report }) => report), rows, sources];
    },
    means: [
      { reports: 1, passed: 7, failed: 0 },
      [
        expect.objectContaining({
          ...{ id: 'r-1', reportId: 'r1', totalCount: 7, passCount: 7, recordCount: 1 },
          ...{ discoveryMethod: null, specification: null },
        }),
      ],
      [[{ sourceIp: '192.0.2.1', count: 7 }]],
      [expect.objectContaining({ address: '192.0.2.1', messages: 7, passed: 7, firstSeen: reportDay })],
    ],
  },
  {
    kind: 'a shared SPF result',
    items: [
      {
        pk: `SPF#${shareId}`,
        sk: 'SHARE',
        version: 1,
        checkedAt: at,
        result: packed(sharedExpansion),
      },
    ],
    read: (table) => spfShareStore(table).get(shareId, new Date(at)),
    means: { checkedAt: at, expansion: sharedExpansion },
  },
  {
    kind: 'a test of a message',
    items: [
      {
        ...{ pk: `TEST#${testId}`, sk: 'SESSION', version: 1, status: 'completed', edgeId: 'm1' },
        ...{ until: '2026-01-11T00:00:00.000Z', expiresAt: 1_768_089_600, receivedAt: at },
        test: packed({ score: 1 }),
      },
    ],
    read: (table) => testSessionStore(table).get(testId, now),
    means: expect.objectContaining({ testId, edgeId: 'm1', test: { score: 1 }, otherMessages: 0 }),
  },
  {
    kind: 'a deletion',
    items: [{ pk: 'DELETION', sk: 'dom-2', id: 'dom-2', requestedAt: at }],
    read: (table) => deletionStore(table).unfinished(now),
    means: ['dom-2'],
  },
];

let table: EmptyTable;
beforeAll(async () => {
  table = await emptyTable();
});
afterAll(() => table.stop());

test.each(rows)('$kind of the first layout can be read', async ({ items, read, means }) => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint: table.endpoint, region: 'us-east-1', credentials });
  const raw = DynamoDBDocumentClient.from(client);
  for (const Item of items) await raw.send(new PutCommand({ TableName: table.name, Item }));
  client.destroy();
  expect(await read(table)).toEqual(means);
});
