/** When each kind of item expires. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { recordAudit } from '../../../shared/store/audit.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { domainCheckStore } from '../../../shared/store/domain-checks.ts';
import { assessmentStore } from '../../../shared/store/enforcement/assessments.ts';
import { idempotencyStore } from '../../../shared/store/idempotency.ts';
import {
  alertList,
  alertsOf,
  assessmentKey,
  auditPartition,
  deliveryKey,
  domainCheckKey,
  idempotencyKey,
  type Key,
  organizationTokenKey,
  rateKey,
  scoreHistoryOf,
  sessionsOf,
  slidingRateKey,
  testSessionKey,
  tokenKey,
} from '../../../shared/store/keys.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { between, type Query, startingWith } from '../../../shared/store/query.ts';
import { exactRateStore } from '../../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import { sessionStore } from '../../../shared/store/sessions.ts';
import type { Table } from '../../../shared/store/table.ts';
import { testSessionStore } from '../../../shared/store/test-sessions.ts';
import { reportAlertDraft } from '../../kit/alerts.ts';
import { raiseAlert } from '../../kit/alongside.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { emptyResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();

const now = new Date('2026-01-10T00:00:00.000Z');
const noon = '2026-01-10T12:00:00.000Z';
const [minute, hour, day] = [60, 3600, 86_400];
/** Items of a day are kept for so many days after its end. */
const retention = { retentionDays: 10 };
const kept = 11 * day;
const rate = { limit: 5, windowMilliseconds: 60_000 };
const inAnHour = new Date(now.getTime() + hour * 1000);
const session = { organization: 'o', id: 't', hash: 'h' };

async function tokenOf(table: Table, expiresAt?: Date) {
  const { id } = await organizationStore(table).create('Example', now);
  const given = { name: 'ci', label: 'svc', ...(expiresAt && { expiresAt }) };
  return (await organizationStore(table).createToken(id, given, now)).info;
}

async function firstKey(table: Table, query: Query): Promise<Key> {
  const [key] = await table.query(query, z.object({ pk: z.string(), sk: z.string() }));
  if (key === undefined) throw new Error('nothing is stored');
  return key;
}

/** `seconds` after now; null: never. */
const rows: readonly {
  readonly kind: string;
  readonly seconds: number | null;
  readonly write: (table: Table) => Promise<Key>;
}[] = [
  {
    kind: 'a session of the console',
    seconds: 12 * hour,
    async write(table) {
      await sessionStore(table).start(session, '', now);
      return firstKey(table, startingWith(sessionsOf('SESSION', 'o', 't')));
    },
  },
  {
    kind: 'a one-time link',
    seconds: 15 * minute,
    async write(table) {
      await sessionStore(table).createLink(session, now);
      return firstKey(table, startingWith(sessionsOf('LINK', 'o', 't')));
    },
  },
  {
    kind: 'a token that expired, in lists',
    seconds: hour + 30 * day,
    async write(table) {
      const { organization, hash } = await tokenOf(table, inAnHour);
      return organizationTokenKey(organization, hash);
    },
  },
  {
    kind: 'a token that was revoked, in lists',
    seconds: 30 * day,
    async write(table) {
      const token = await tokenOf(table);
      await organizationStore(table).revokeToken(token, now);
      return organizationTokenKey(token.organization, token.hash);
    },
  },
  {
    kind: 'a token that was revoked, so that it is never issued again',
    seconds: null,
    async write(table) {
      const token = await tokenOf(table);
      await organizationStore(table).revokeToken(token, now);
      return tokenKey(token.hash);
    },
  },
  {
    kind: 'an assessment of enforcement',
    seconds: hour,
    async write(table) {
      await assessmentStore(table, z.string()).keep('d', 'b', 'reject', now);
      return assessmentKey('d');
    },
  },
  {
    kind: 'a request with an idempotency key',
    seconds: day,
    async write(table) {
      const request = { tokenId: 't', keyHash: 'h', fingerprint: 'f' };
      await idempotencyStore(table).claim(request, now, 30);
      return idempotencyKey('t', 'h');
    },
  },
  {
    kind: 'a session of the inbound mail tester',
    seconds: 2 * day,
    async write(table) {
      return testSessionKey((await testSessionStore(table).create(now)).testId);
    },
  },
  {
    kind: 'a recent result of the domain checker',
    seconds: minute + 1,
    async write(table) {
      const checked = { checkedAt: now.toISOString(), results: emptyResults(), lookups: [] };
      await domainCheckStore(table).keep({ domain: 'example.org', ...checked }, null);
      return domainCheckKey('example.org', null);
    },
  },
  {
    kind: 'a counted rate limit',
    seconds: minute + 1,
    async write(table) {
      await rateStore(table).consume('api', 'o', rate, now);
      return slidingRateKey('api', 'o');
    },
  },
  {
    kind: 'an exact rate limit',
    seconds: minute + 1,
    async write(table) {
      await exactRateStore(table).consumeExact('checks', 'd', rate, now);
      return rateKey('checks', 'd');
    },
  },
  {
    kind: 'a delivery of notifications',
    seconds: 30 * day,
    async write(table) {
      const delivery = { id: 'v', organization: 'o', channel: 'mail', createdAt: now.toISOString() } as const;
      await deliveryStore(table).createTest(delivery);
      return deliveryKey('v');
    },
  },
  {
    kind: 'an entry of the history',
    seconds: kept,
    async write(table) {
      const score = { at: noon, score: 80, grade: 'B' } as const;
      await table.transact(historyStore(table, retention).writesOf('d', { score }));
      const { pk, prefix } = scoreHistoryOf('d');
      return { pk, sk: `${prefix}${noon}` };
    },
  },
  {
    kind: 'an entry of the audit log',
    seconds: kept,
    async write(table) {
      const entry = {
        at: noon,
        action: 'createDomain',
        token: 't',
        subject: null,
        name: null,
        clientAddress: null,
      };
      await recordAudit(table, 'o', [entry], 10);
      return firstKey(table, between(auditPartition('o'), noon, '~'));
    },
  },
  {
    kind: 'an alert',
    seconds: kept,
    async write(table) {
      const domain = await registeredDomain(table);
      await raiseAlert(
        { table, alerts: alertStore(table, retention) },
        domain,
        reportAlertDraft('one'),
        new Date(noon),
      );
      return firstKey(table, startingWith(alertsOf(domain.id, alertList({ unread: false }))));
    },
  },
];

test.each(rows)('$kind expires', async ({ write, seconds }) => {
  const Key = { ...(await write(table)) };
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
  expect(Item).toBeDefined();
  expect(Item?.expiresAt).toBe(seconds === null ? undefined : now.getTime() / 1000 + seconds);
});
