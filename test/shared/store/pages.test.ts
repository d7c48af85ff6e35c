import { expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { auditStore, recordAudit } from '../../../shared/store/audit.ts';
import { pageKey } from '../../../shared/store/page-key.ts';
import { justBefore } from '../../../shared/store/query.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { mailOutcomeStore } from '../../../shared/store/reports/mail-outcomes.ts';
import { reportAlertDraft } from '../../kit/alerts.ts';
import { raiseAlert } from '../../kit/alongside.ts';
import { counted } from '../../kit/capacity.ts';
import { dmarcReport, registeredDomain, storeDmarc } from '../../kit/reports.ts';
import type { EmptyTable } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const ROWS = 60;
const kept = { retentionDays: 0 };
const now = new Date('2026-03-20T00:00:00Z');
const at = (n: number) => new Date(Date.parse('2026-03-01T00:00:00Z') + n * 3_600_000);

const table = await useTable();
const domain = await registeredDomain(table);
const { organization } = domain;
const alerts = alertStore(table, kept);
const nothing = { token: null, subject: null, name: null, clientAddress: null };
for (let n = 0; n < ROWS; n += 1) {
  const createdAt = at(n).toISOString();
  await raiseAlert({ table, alerts }, domain, reportAlertDraft(`alert ${n}`, 'warning'), at(n));
  await recordAudit(table, organization, [{ at: createdAt, action: 'a', ...nothing }], 0);
  const id = uuidv7({ msecs: at(n).getTime() });
  await deliveryStore(table).createTest({ id, createdAt, organization, channel: 'mail' });
  await mailOutcomeStore(table, kept).store(domain, {
    ...{ messageId: `m-${n}`, receivedAt: at(n), rawKey: `reports/${n}`, alsoFor: [] },
    ...{ authentication: null, from: null, subject: null },
    outcomes: [{ kind: 'accepted', source: 'mail', reason: null }],
  });
  const report = dmarcReport(createdAt, undefined, { reportId: `r-${n}` });
  await storeDmarc(dmarcReportStore(table, kept), domain, report);
}

type Page = { readonly page: number; readonly limit: number; readonly after?: string | undefined };
type Listed = { readonly hasMore: boolean; readonly last: string | undefined } | 'too-many';

const lists: Readonly<Record<string, (on: EmptyTable, page: Page) => Promise<Listed>>> = {
  alerts: (on, page) => alertStore(on, kept).list(domain.organization, { unreadOnly: false }, page, now),
  'alerts of a domain': (on, page) =>
    alertStore(on, kept).list(domain.organization, { domainId: domain.id, unreadOnly: true }, page, now),
  'the audit log': (on, page) => auditStore(on).list(domain.organization, {}, page, now),
  deliveries: (on, page) => deliveryStore(on).list(domain.organization, page, now),
  mails: (on, page) => mailOutcomeStore(on, kept).list(domain.id, { ...page, window: {} }, now),
  'DMARC reports': (on, page) => dmarcReportStore(on, kept).list(domain.id, { ...page, window: {} }, now),
};

test.each(Object.entries(lists))('a page of %s costs the same however far it is', async (_name, list) => {
  const costs: number[] = [];
  let after: string | undefined;
  for (;;) {
    const { table: measured, capacity } = counted(table);
    const found = await list(measured as EmptyTable, { page: 1, limit: 10, after });
    if (found === 'too-many') throw new Error(found);
    costs.push(capacity.units().reads);
    if (!found.hasMore) break;
    after = found.last;
  }
  expect(costs.length).toBe(ROWS / 10);
  expect(Math.max(...costs)).toBeLessThanOrEqual(1.2 * (costs[0] ?? 0));
});

test.each([
  '0',
  'a',
  'DMARC#2026-03-01T00:00:00.000Z#0',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  'm-1.',
  'x_',
])('nothing of a key is between %s and what is right before it', (key) => {
  const before = justBefore(key);
  expect(before < key).toBe(true);
  // The greatest key before it, of the characters that keys have.
  const last = String.fromCharCode(key.charCodeAt(key.length - 1) - 1);
  for (const less of [`${key.slice(0, -1)}${last}`, `${key.slice(0, -1)}${last}}}}}`])
    expect(less < before).toBe(true);
  for (const more of [`${key}0`, `${key}#`]) expect(more > before).toBe(true);
});

test('the key that signs positions is made once', async () => {
  const own = await useTable();
  const keys = await Promise.all(Array.from({ length: 8 }, () => pageKey(own)));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  expect(keys[0]?.length).toBe(32);
});
