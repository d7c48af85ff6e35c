/** Alerts that members have mailed to an address of their own, beside what the organization receives. */
import { beforeEach, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { AlertSeverity, ReportAlertDraft } from '../../../shared/alerts/alert.ts';
import { gather } from '../../../shared/notify/gather.ts';
import { operatorFor } from '../../../shared/operations/operation.ts';
import { Refused } from '../../../shared/operations/outcome.ts';
import { changeMemberMail } from '../../../shared/operations/people/change-member-mail.ts';
import { removeMember } from '../../../shared/operations/people/remove-member.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { pendingNotificationStore } from '../../../shared/store/alerts/pending.ts';
import type { Member } from '../../../shared/store/api-tokens.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { notificationSettingsKey, notificationShardOf } from '../../../shared/store/keys.ts';
import { memberStore } from '../../../shared/store/members.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { reportAlertDraft } from '../../kit/alerts.ts';
import { join } from '../../kit/members.ts';
import { type NotificationService, notificationService } from '../../kit/notifications.ts';
import { callerWith, done } from '../../kit/operations.ts';
import type { EmptyTable } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
let table: EmptyTable;
let service: NotificationService;
let shop: Domain;
let other: Domain;
let member: Member;

process.env.LOG_LEVEL = 'silent';
beforeEach(async () => {
  table = await useTable({ now: () => start });
  service = await notificationService(table, start);
  other = await service.register('other.example');
  const registered = await service.register('shop.example');
  const changed = { usageType: registered.usageType, tags: ['shop'], hasBadge: false };
  const { testEmailLocalPart, dkimSelectors } = registered;
  const tagged = await domainStore(table).change(
    registered,
    { ...changed, testEmailLocalPart, dkimSelectors: [...dkimSelectors] },
    start,
  );
  if (tagged === undefined) throw new Error('the domain was not changed');
  shop = tagged;
  member = await join(table, service.organization, 'a', 'read', start);
});

const choose = (mail: Parameters<typeof changeMemberMail>[1]['mail'], by = member) =>
  changeMemberMail(
    callerWith(by),
    { mail },
    { notifications: service.settings, ownDomains: ['reports.acme.org'] },
  );
const sent = () => service.mails.map(({ to, text }) => [to, text.match(/alert \d+/g)]);

test('go to the member and to the organization, each from their own severity on', async () => {
  await service.settings.setMail(service.organization, {
    address: 'ops@example.org',
    threshold: 'warning',
    digestMinute: null,
  });
  done(await choose({ address: 'a@example.org', threshold: 'critical', tags: [] }));
  await service.raise(other, 'warning');
  await service.raise(other, 'critical');
  await service.turn();
  expect(sent().toSorted()).toEqual([
    ['a@example.org', ['alert 2']],
    ['ops@example.org', ['alert 2', 'alert 1']],
  ]);
});

test('are only about domains with a tag that the member chose', async () => {
  done(await choose({ address: 'a@example.org', threshold: 'info', tags: ['shop'] }));
  await service.raise(other, 'critical');
  await service.raise(shop, 'info');
  await service.turn();
  expect(sent()).toEqual([['a@example.org', ['alert 2']]]);
  await service.raise(other, 'critical');
  await service.turn();
  expect(service.mails).toHaveLength(1);
});

test('are one notification for all in the transaction that raises alerts, and one mail for each', async () => {
  const everybody = Array.from({ length: 120 }, (_, n) => ({
    member: `m${n}`,
    address: `m${n}@example.org`,
    threshold: (n % 3 === 0 ? 'warning' : 'critical') as 'warning' | 'critical',
    tags: n % 2 === 0 ? [] : ['shop'],
  }));
  await table.put({
    ...notificationSettingsKey(service.organization),
    people: Object.fromEntries(everybody.map(({ member, ...mail }) => [member, mail])),
  });
  const alerts = alertStore(table, { retentionDays: 0 });
  const drafts = (severity: AlertSeverity, count: number) =>
    Array.from({ length: count }, (_, n) => reportAlertDraft(`alert ${n}`, severity));
  const raise = async (domain: Domain, some: readonly ReportAlertDraft[]) => {
    const writes = await alerts.writesOf(domain, some, start);
    expect(await table.tryTransact(writes)).toEqual(new Set());
  };
  await raise(other, drafts('critical', 6));
  await service.turn();
  const untagged = everybody.filter(({ tags }) => tags.length === 0);
  const to = () =>
    service.mails
      .splice(0)
      .map((mail) => mail.to)
      .toSorted();
  expect(to()).toEqual(untagged.map(({ address }) => address).toSorted());
  await raise(shop, drafts('warning', 1));
  await service.turn();
  expect(to()).toEqual(
    everybody.flatMap(({ threshold, address }) => (threshold === 'warning' ? address : [])).toSorted(),
  );
});

test('go to each member once, also if what gathers them is interrupted and repeated', async () => {
  done(await choose({ address: 'a@example.org', threshold: 'info', tags: [] }));
  await service.raise(other, 'critical');
  const shard = notificationShardOf(service.organization);
  const deliveries = deliveryStore(table);
  const interrupted = {
    ...deliveries,
    // It created the delivery of the member, and could neither queue it nor say so.
    finish: async () => {
      throw new Error('interrupted');
    },
  };
  const deps = {
    ...{ pending: pendingNotificationStore(table), deliveries: interrupted, settings: service.settings },
    enqueue: async () => undefined,
  };
  const run = { shards: [shard], now: service.clock.now(), remainingMilliseconds: () => 60_000 };
  await expect(gather(deps, run)).rejects.toThrow();
  for (let minute = 0; minute < 4; minute += 1) {
    service.pass(61_000);
    await service.turn();
  }
  expect(sent()).toEqual([['a@example.org', ['alert 1']]]);
});

test('that are sent again go to the member again', async () => {
  done(await choose({ address: 'a@example.org', threshold: 'info', tags: [] }));
  await service.raise(other, 'critical');
  await service.turn();
  const deliveries = deliveryStore(table);
  const list = async () =>
    (await deliveries.list(service.organization, { page: 1, limit: 9 }, service.clock.now())).deliveries;
  const [first] = await list();
  if (first === undefined) throw new Error('there is no delivery');
  await deliveries.createAgain(first, { id: uuidv7(), createdAt: service.clock.now().toISOString() });
  expect((await list()).map((one) => one.member)).toEqual([member.id, member.id]);
});

test('that fail say nothing about the channel of the organization', async () => {
  done(await choose({ address: 'a@example.org', threshold: 'info', tags: [] }));
  service.behaviour.mail = async () => {
    throw new Error('down');
  };
  await service.raise(other, 'critical');
  await service.turn();
  expect((await service.settings.lastDeliveries(service.organization)).mail).toBeNull();
  expect(service.waiting).toHaveLength(1);
});

test('end when they are turned off, or when the member is removed', async () => {
  const second = await join(table, service.organization, 'b', 'read', start);
  for (const one of [member, second])
    done(await choose({ address: one.name, threshold: 'info', tags: [] }, one));
  await service.raise(other, 'critical');
  done(await choose(null));
  const removing = {
    ...{ organizations: organizationStore(table), members: memberStore(table) },
    ...{ notifications: service.settings, clock: service.clock },
  };
  done(await removeMember(operatorFor(service.organization), { id: second.id }, removing));
  await service.raise(other, 'critical');
  await service.turn();
  expect([service.mails, service.waiting]).toEqual([[], []]);
});

test.each([
  [{ address: 'x@reports.acme.org', threshold: 'info', tags: [] }, 'invalid_request'],
  [{ address: 'nobody', threshold: 'info', tags: [] }, 'invalid_request'],
] as const)('to %j are refused', async (mail, code) => {
  const outcome = await choose({ ...mail, tags: [] });
  expect(outcome instanceof Refused && outcome.code).toBe(code);
});

test('are for people only', async () => {
  const { info } = await organizationStore(table).createToken(
    service.organization,
    { name: 'ci', label: 'svc' },
    start,
  );
  const outcome = await changeMemberMail(
    callerWith(info),
    { mail: null },
    { notifications: service.settings, ownDomains: [] },
  );
  expect(outcome instanceof Refused && outcome.code).toBe('forbidden');
});
