/**
 * The proof of ownership and the attention list against BIND: the record is withdrawn and comes back. The months in between
 * are written into the table.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { aboutNothing } from '../../shared/attention/kinds.ts';
import type { Ownership } from '../../shared/store/domains/domain.ts';
import { domainKey } from '../../shared/store/keys.ts';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { changesOn } from '../kit/attention.ts';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { describeWith } from '../kit/describe-with.ts';
import { register } from '../kit/register.ts';
import type { BootedService } from '../kit/service.ts';
import { serviceTable } from '../kit/service-table.ts';
import { until } from '../kit/until.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();
const dayAhead = (days: number) => daysAgo(-days).slice(0, 10);

describeWith(missingForBind(), 'attention against BIND', () => {
  let bind: Bind;
  let service: BootedService;
  let api: ApiClient;
  let id: string;
  let record: string;
  let path: string;

  beforeAll(async () => {
    bind = await use(startBind(['example.org'], 0));
    service = await useService({
      ...{ DNS_SERVERS: bind.server, CHECK_INTERVAL_SECONDS: '1', API_RATE_PER_MINUTE: '0' },
    });
    api = await apiClient(service);
    await api.call('PUT', '/api/v1/notifications', {
      json: { mail: { address: 'ops@example.com', threshold: 'critical', digestHour: null }, webhook: null },
    });
    const registered = await register(api, 'example.org', { tags: ['for sale'] });
    ({ id } = registered);
    path = `/api/v1/attention/${id}.ownership-unproven`;
    record = `_svc IN TXT "svc-verify=${registered.verificationToken}"`;
    await bind.publish('example.org', [record]);
    await api.call('POST', `/api/v1/domains/${id}/verify`);
  });

  const domain = async () => (await api.call('GET', `/api/v1/domains/${id}`)).body.data;
  const list = async (query = '') => (await api.call('GET', `/api/v1/attention${query}`)).body;
  const items = async (query = '') => (await list(query)).data;
  const outbox = () => join(service.dataDir, 'outbox');
  const mails = () =>
    readdirSync(outbox())
      .filter((name) => name.endsWith('.eml'))
      .map((name) => readFileSync(join(outbox(), name), 'latin1'));

  /** Writes what checks of the past would have left. */
  async function age(ownership: Ownership): Promise<void> {
    const table = await serviceTable(service);
    try {
      await table.update(domainKey('default', id), {
        UpdateExpression: 'SET ownership = :ownership',
        ExpressionAttributeValues: { ':ownership': ownership },
      });
    } finally {
      await table.stop();
    }
  }

  /** The record has been missing for 30 days but an hour. */
  const almostUnproven = (): Ownership => ({
    provenAt: daysAgo(61),
    missing: {
      ...{ since: daysAgo(30), countedAt: daysAgo(1), isUnproven: false },
      seconds: 30 * 86_400 - 3600,
    },
  });

  test('a scheduled check renews a proof of 30 days ago', async () => {
    const { provenAt } = (await domain()).ownership;
    expect(Date.parse(provenAt)).toBeGreaterThan(Date.now() - DAY);
    await age({ provenAt: daysAgo(31), missing: null });
    await until(async () => (await domain()).ownership.provenAt > provenAt, { what: 'a new proof' });
    expect(await list()).toEqual({ data: [], meta: { pagination: { page: 1, limit: 20, hasMore: false } } });
  });

  test('the first check without the record says since when, and nothing else', async () => {
    await bind.publish('example.org', []);
    await age({ provenAt: daysAgo(31), missing: null });
    await until(async () => (await domain()).ownership.missingSince !== null, { what: 'missing' });
    expect(await domain()).toMatchObject({ verified: true, ownership: { provenAt: expect.any(String) } });
    expect(await items()).toEqual([]);
  });

  test('after 30 days without it, an item opens and one notice is sent', async () => {
    const state = almostUnproven();
    await age(state);
    await until(async () => (await items()).length > 0, { what: 'an attention item' });
    expect(await items()).toEqual([
      {
        id: `${id}.ownership-unproven`,
        ...{ kind: 'ownership-unproven', severity: 'warning', domainId: id, domain: 'example.org' },
        ...{ since: state.missing?.since, putOffUntil: null, note: null },
        title: 'Ownership of example.org is no longer proven',
        detail: expect.stringContaining('Publish it again if the domain is yours'),
        action: {
          label: 'Show the verification record',
          url: `${service.url}/console/domains/${id}#steps`,
        },
      },
    ]);
    await until(() => mails().length > 0, { what: 'a mail' });
    const checked = (await domain()).lastCheckedAt;
    await until(async () => (await domain()).lastCheckedAt > checked, { what: 'another check' });
    const [mail = ''] = mails();
    expect(mails()).toHaveLength(1);
    expect(mail).toContain('Subject: Ownership of example.org is no longer proven');
    expect(mail).toContain('To: ops@example.com');
    expect(mail.replaceAll('=\r\n', '')).toContain(`/console/domains/${id}#steps`);
    expect(await domain()).toMatchObject({
      verified: true,
      ownership: { missingSince: state.missing?.since },
    });
    expect((await api.call('GET', '/api/v1/alerts')).body.data).toEqual([]);
  });

  test.each([
    ['?severity=warning&kind=ownership-unproven', 1],
    ['?severity=critical', 0],
    ['?tag=for%20sale', 1],
    ['?tag=other', 0],
    ['?putOff=true', 0],
    ['?page=2', 0],
  ])('the list with %s has %i items', async (query, count) => {
    expect(await items(query)).toHaveLength(count);
    expect(await items(`${query}&domainId=${id.toUpperCase()}`)).toHaveLength(count);
  });

  test.each([
    ['GET', '?domainId=nothing', undefined, 404],
    ['GET', '?domainId=018f0000-0000-7000-8000-000000000000', undefined, 404],
    ['PUT', '/nothing', { until: null }, 404],
    ['PUT', '/018f0000-0000-7000-8000-000000000000.ownership-unproven', { until: null }, 404],
  ] as const)('%s /attention%s is refused', async (method, rest, json, status) => {
    const answer = await api.call(method, `/api/v1/attention${rest}`, json === undefined ? {} : { json });
    expect(answer.status).toBe(status);
  });

  test.each([
    ['today', { until: dayAhead(0) }],
    ['a day in two years', { until: dayAhead(730) }],
  ])('putting off with %s is refused', async (_, json) => {
    const { status, body } = await api.call('PUT', path, { json });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
  });

  test('an item that is put off is listed apart, with its note, and in the audit log', async () => {
    const json = { until: dayAhead(30), note: 'Sold; the transfer takes a month' };
    const put = await api.call('PUT', path, { json });
    expect(put.body.data).toMatchObject({ putOffUntil: json.until, note: json.note });
    expect(await items()).toEqual([]);
    expect(await items('?putOff=true')).toEqual([put.body.data]);
    const [entry] = (await api.call('GET', '/api/v1/audit')).body.data;
    expect(entry).toMatchObject({
      action: 'putOffAttention',
      name: 'Ownership of example.org is no longer proven',
    });
    const ifMatch = (tag: string) => ({ json: { until: null }, headers: { 'if-match': tag } });
    expect((await api.call('PUT', path, ifMatch('"other"'))).status).toBe(412);
    const again = await api.call('PUT', path, ifMatch(put.headers.get('etag') ?? ''));
    expect(again.body.data).toMatchObject({ putOffUntil: null, note: null });
    expect(await items()).toEqual([again.body.data]);
  });

  test('the console shows the item, the record and a form that puts it off', async () => {
    const signedIn = await fetch(`${service.url}/console/sign-in`, {
      ...{ method: 'POST', body: new URLSearchParams({ token: service.token }), redirect: 'manual' },
    });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const get = async (of: string) =>
      (await fetch(`${service.url}${of}`, { headers: { cookie }, redirect: 'manual' })).text();
    const start = await get('/console');
    const action = `/console/attention/${id}.ownership-unproven`;
    expect(start).toContain(`action="${action}"`);
    expect(await get(`/console/domains/${id}`)).toContain(record.slice(record.indexOf('"') + 1, -1));

    const formToken = /name="formToken" value="([\w-]{43})"/.exec(start)?.[1] ?? '';
    const post = (fields: Readonly<Record<string, string>>) =>
      fetch(`${service.url}${action}`, {
        ...{ method: 'POST', headers: { cookie }, redirect: 'manual' },
        body: new URLSearchParams({ formToken, ...fields }),
      });
    expect((await post({ until: dayAhead(7), note: 'Asked the owner' })).status).toBe(303);
    expect(await get('/console')).not.toContain('Ownership is no longer proven');
    expect(await get(`/console/domains/${id}`)).toContain('Note: Asked the owner');
    expect((await post({ until: '', note: '' })).status).toBe(303);
    expect(await get('/console')).toContain('Ownership is no longer proven');
  });

  test('the item closes when the record is back, by itself or when a person verifies', async () => {
    const verify = async () => (await api.call('POST', `/api/v1/domains/${id}/verify`)).body.data;
    expect(await verify()).toEqual({
      verified: true,
      message: expect.stringContaining('The domain stays verified. The TXT record was not found.'),
    });
    expect(await items()).toHaveLength(1);
    await bind.publish('example.org', [record]);
    await until(async () => (await items()).length === 0, { what: 'closed' });
    expect((await domain()).ownership).toEqual({ provenAt: expect.any(String), missingSince: null });
    expect((await api.call('PUT', path, { json: { until: null } })).status).toBe(404);

    await bind.publish('example.org', []);
    await age(almostUnproven());
    await until(async () => (await items()).length > 0, { what: 'open again' });
    await bind.publish('example.org', [record]);
    expect(await verify()).toEqual({ verified: true, message: 'The domain is verified.' });
    expect(await items()).toEqual([]);
  });

  test('errors of a check open an item, which the summary counts and which closes when they are gone', async () => {
    const counted = async () => (await api.call('GET', '/api/v1/summary')).body.data.attention;
    const none = { count: 0, hasMore: false };
    expect(await counted()).toEqual({ critical: none, warning: none, info: none });
    await bind.publish('example.org', [record, '@ IN TXT "v=spf1 -all"', '@ IN TXT "v=spf1 ~all"']);
    await until(async () => (await items()).length > 0, { what: 'errors that two check runs saw' });
    expect(await items()).toEqual([
      expect.objectContaining({
        ...{ id: `${id}.check-failing`, kind: 'check-failing', severity: 'critical' },
        title: 'Checks of example.org found errors: SPF',
        action: { label: 'Show the errors and their fixes', url: `${service.url}/console/domains/${id}` },
      }),
    ]);
    expect(await counted()).toEqual({ critical: { count: 1, hasMore: false }, warning: none, info: none });
    const put = await api.call('PUT', `/api/v1/attention/${id}.check-failing`, {
      json: { until: dayAhead(3) },
    });
    expect(put.status).toBe(200);
    expect((await counted()).critical).toEqual(none);
    await bind.publish('example.org', [record]);
    await until(async () => (await items('?putOff=true')).length === 0, { what: 'closed' });
  });

  test('the item of a channel is about no domain, and is put off by its own id', async () => {
    const item = { channel: 'webhook', kind: 'channel-failing' } as const;
    const about = { ...aboutNothing, reason: 'the webhook returned 500' };
    const table = await serviceTable(service);
    try {
      await changesOn(table).openChannel('default', item, { since: daysAgo(1), about }, new Date());
    } finally {
      await table.stop();
    }
    expect(await items()).toEqual([
      {
        ...{ id: 'webhook.channel-failing', kind: 'channel-failing', severity: 'warning' },
        ...{ domainId: null, domain: null, since: expect.any(String), putOffUntil: null, note: null },
        title: 'Notifications by webhook do not arrive',
        detail: expect.stringContaining('the webhook returned 500'),
        action: { label: 'Show the settings', url: `${service.url}/console/settings#notifications` },
      },
    ]);
    const putOff = (of: string) =>
      api.call('PUT', `/api/v1/attention/${of}`, { json: { until: dayAhead(3), note: 'Known' } });
    expect((await putOff('mail.channel-failing')).status).toBe(404);
    expect((await putOff('webhook.check-failing')).status).toBe(404);
    expect((await putOff('webhook.channel-failing')).body.data).toMatchObject({ note: 'Known' });
    expect([(await items()).length, (await items('?putOff=true')).length]).toEqual([0, 1]);
    const json = { mail: null, webhook: { url: 'https://hooks.example.com/alerts' } };
    expect((await api.call('PUT', '/api/v1/notifications', { json })).status).toBe(200);
    expect(await items('?putOff=true')).toEqual([]);
  });

  test('the item goes with its domain', async () => {
    await bind.publish('example.org', []);
    await age(almostUnproven());
    await until(async () => (await items()).length > 0, { what: 'open once more' });
    await api.call('DELETE', `/api/v1/domains/${id}`);
    await until(async () => (await items()).length === 0, { what: 'gone' });
    expect((await api.call('PUT', path, { json: { until: null } })).status).toBe(404);
  });
});
