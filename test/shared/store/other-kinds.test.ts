/** What is stored about alerts and events, as a release with other types wrote it: read without them, and otherwise as ever. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AlertFilter } from '../../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import {
  alertIndexKey,
  alertKey,
  attentionIndexKey,
  attentionKey,
  deliveryIndexKey,
  deliveryKey,
  deliveryListKey,
  notificationSettingsKey,
  organizationPendingKey,
  pendingIndexKey,
  pendingKey,
} from '../../../shared/store/keys.ts';
import { type NotificationService, notificationService } from '../../kit/notifications.ts';
import { useTable } from '../../kit/use-table.ts';

const start = new Date('2026-03-02T10:00:00.000Z');

let service: NotificationService;
let domain: Domain;

const table = await useTable();
beforeEach(async () => {
  service = await notificationService(table, start);
  domain = await service.register(`d${service.organization.slice(0, 8)}.example.org`);
});

const put = (Item: object) => table.client.send(new PutCommand({ TableName: table.name, Item }));

/** An id of the given second, which decides the order of alerts. */
const idAt = (second: number) => {
  const hex = (start.getTime() + second * 1000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`;
};

/** In all lists of an unread alert with the severity `warning`. */
async function putAlert(second: number, attributes: object): Promise<string> {
  const id = idAt(second);
  for (const list of ['', '@warning', '@unread', '@unread-warning'])
    await put({
      ...{ ...alertKey(domain.id, id, list), ...alertIndexKey(service.organization, id, list) },
      ...{ id, domainId: domain.id, domainName: domain.domain, severity: 'warning', read: false },
      ...{ title: `at ${second}`, message: 'Something happened.', ...attributes },
      createdAt: new Date(start.getTime() + second * 1000).toISOString(),
    });
  return id;
}

const change = (check: string) => ({
  type: 'dns_change',
  metadata: {
    ...{ check, previousState: 'pass', newState: 'warning', recordsAdded: ['a'], recordsRemoved: [] },
    ...{ findingsAdded: [], findingsRemoved: [], omitted: 0 },
  },
});
const known = (second: number) => putAlert(second, change('caa'));
const others = [
  { type: 'certificate_revoked', metadata: { host: 'mx.example.org' } },
  change('dane'),
  { type: 'new_report', metadata: { reportType: 'arc', reporter: 'R' } },
];
const other = (second: number) => putAlert(second, others[second % others.length] ?? {});

describe('alerts of a type that only another release knows', () => {
  let ids: string[];

  beforeEach(async () => {
    ids = [];
    for (let second = 0; second < 12; second += 1) ids.push(await (second % 4 === 1 ? known : other)(second));
  });

  const filters: readonly Partial<AlertFilter>[] = [{}, { severity: 'warning' }, { unreadOnly: true }];

  test.each(filters)('are left out of the pages of the filter %p', async (filter) => {
    const pages = [];
    for (const page of [1, 2, 3, 4]) {
      const { organization, clock } = service;
      const wanted = { unreadOnly: false, ...filter };
      const { alerts, hasMore } = await service.alerts.list(
        organization,
        wanted,
        { page, limit: 1 },
        clock.now(),
      );
      pages.push([alerts.map(({ title }) => title), hasMore]);
    }
    expect(pages).toEqual([
      [['at 9'], true],
      [['at 5'], true],
      [['at 1'], false],
      [[], false],
    ]);
  });

  test('are left out of those of a domain, of causes and of a digest, and not counted', async () => {
    const { alerts, organization, clock } = service;
    const filter = { unreadOnly: true, domainId: domain.id };
    const listed = await alerts.list(organization, filter, { page: 1, limit: 3 }, clock.now());
    expect([listed.alerts.length, listed.hasMore]).toEqual([3, false]);
    const causes = await alerts.listCauses(organization, filter, { page: 1, limit: 9 }, clock.now());
    expect(causes).toMatchObject({ groups: [{ count: 3, unread: 3 }], hasMore: false });
    const period = { since: start.toISOString(), until: '2026-03-03T00:00:00.000Z' };
    const inPeriod = await alerts.inPeriod(organization, period, clock.now());
    expect([inPeriod.alerts.map(({ title }) => title), inPeriod.hasMore]).toEqual([
      ['at 9', 'at 5', 'at 1'],
      false,
    ]);
  });

  test('do not exist, and cannot be marked as read', async () => {
    const { alerts, organization, clock } = service;
    const [unknown = '', one = ''] = ids;
    expect(await alerts.get(domain.id, unknown, clock.now())).toBeUndefined();
    expect(await alerts.markRead(organization, unknown, clock.now())).toBeUndefined();
    expect(await alerts.markRead(organization, one, clock.now())).toMatchObject({ read: true });
  });
});

/** An event of a domain, with the attributes of its type. */
const event = (attributes: object) => ({
  ...{ id: idAt(1), createdAt: start.toISOString(), domainId: domain.id, domainName: domain.domain },
  ...attributes,
});

describe('notifications', () => {
  beforeEach(async () => {
    const { settings, organization } = service;
    const webhook = {
      ...({ url: 'https://hook.example.org/', secret: 's', threshold: 'warning', format: 'json' } as const),
      events: ['domain.verified'] as const,
    };
    await settings.setWebhook(organization, webhook);
  });

  async function putPending(alert: string, attributes: object) {
    const { organization } = service;
    const about = { organization, alert, severity: 'warning', channel: 'webhook', kind: 'alerts' };
    const index = pendingIndexKey('alerts', organization, start.toISOString());
    await put({
      ...pendingKey(domain.id, 'webhook', alert),
      ...index,
      domainId: domain.id,
      ...about,
      ...attributes,
    });
  }

  test('of other alerts and events are not sent, and others are', async () => {
    const { organization } = service;
    await putPending(idAt(1), { event: event({ type: 'certificate.revoked', host: 'mx' }) });
    await putPending(idAt(2), { event: event({ type: 'attention.opened', kind: 'registrar-lock' }) });
    await put({
      ...organizationPendingKey(organization, 'webhook', idAt(6)),
      ...pendingIndexKey('alerts', organization, start.toISOString()),
      ...{ organization, alert: idAt(6), severity: 'info', channel: 'webhook', kind: 'alerts' },
      event: { type: 'person.invited', id: idAt(6), createdAt: start.toISOString() },
    });
    await putPending(await other(3), {});
    await putPending(await known(4), {});
    await putPending(idAt(5), { event: event({ type: 'domain.verified' }) });
    await service.turn();
    const bodies = service.posts.map(({ body }) => JSON.parse(body));
    expect(bodies).toMatchObject([{ alerts: [{ title: 'at 4' }], events: [{ type: 'domain.verified' }] }]);
    expect(bodies[0].alerts).toHaveLength(1);
    expect(bodies[0].events).toHaveLength(1);
  });

  test('that were gathered before have only known events, in lists, too', async () => {
    const { organization, clock } = service;
    const id = idAt(9);
    const at = start.toISOString();
    const delivery = {
      ...{ id, organization, channel: 'webhook', kind: 'alerts', alerts: [], createdAt: at },
      further: { info: 0, warning: 0, critical: 0 },
      events: [event({ type: 'certificate.revoked' }), event({ type: 'domain.verified' })],
    };
    await put({ ...deliveryKey(id), ...deliveryIndexKey('alerts', organization, at), ...delivery });
    await put({ ...deliveryListKey(organization, id), ...delivery });
    await service.receive({
      body: { delivery: id },
      sentAt: clock.now().getTime(),
      receives: 0,
      visibleAt: 0,
    });
    expect(service.posts.map(({ body }) => JSON.parse(body).events)).toMatchObject([
      [{ type: 'domain.verified' }],
    ]);
    const { deliveries } = await deliveryStore(table).list(organization, { page: 1, limit: 5 }, start);
    expect(deliveries).toMatchObject([{ id, events: [{ type: 'domain.verified' }] }]);
  });

  test('are sent by settings that name other events', async () => {
    const { organization, settings } = service;
    const { webhook } = await settings.get(organization);
    const events = ['certificate.revoked', 'domain.verified', 'attention.opened'];
    await put({ ...notificationSettingsKey(organization), webhook: { ...webhook, events }, revision: 1 });
    expect((await settings.get(organization)).webhook?.events).toEqual([
      'domain.verified',
      'attention.opened',
    ]);
  });
});

test('attention items of a kind that only another release knows are left out of pages and counts', async () => {
  const { organization } = service;
  for (const [kind, since] of [
    ['ownership-unproven', '2026-01-01T00:00:00.000Z'],
    ['registrar-lock', '2026-01-02T00:00:00.000Z'],
    ['check-failing', '2026-01-03T00:00:00.000Z'],
  ] as const)
    await put({
      ...{ ...attentionKey(domain.id, kind as 'expiring'), domainId: domain.id, domain: domain.domain },
      ...attentionIndexKey(organization, `1#${kind}#${since}#${domain.id}`),
      ...{ kind, severity: 'warning', since, about: { names: ['SPF'] } },
    });
  const store = attentionStore(table);
  const kinds = async (page: number) => {
    const { items, hasMore } = await store.list(organization, {}, { page, limit: 1 }, start);
    return [items.map(({ kind }) => kind), hasMore];
  };
  expect([await kinds(1), await kinds(2), await kinds(3)]).toEqual([
    [['check-failing'], true],
    [['ownership-unproven'], false],
    [[], false],
  ]);
  expect(await store.count(organization, start)).toMatchObject({ warning: { count: 2, hasMore: false } });
});
