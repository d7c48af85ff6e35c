/** Notification settings, tests and deliveries through the API, for tokens of each scope and of another organization. */
import { describe, expect, test } from '@jest/globals';
import { foreignToken, serviceTable } from '../kit/service-table.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const settings = '/api/v1/notifications';
const deliveries = '/api/v1/deliveries';
const mail = { address: 'ops@example.org', threshold: 'warning', digestHour: 7 };
const webhook = {
  url: 'https://hooks.example.org/in/secret',
  threshold: 'info',
  format: 'slack',
  events: [],
};

/** What an hour alone means. */
const shownMail = { ...mail, digest: 'daily', digestWeekday: null, digestTimeZone: 'UTC' };

/** The webhook in responses. */
const shown = { ...webhook, url: 'https://hooks.example.org' };

const put = (json: object, token?: string) =>
  api.call('PUT', settings, { json, ...(token !== undefined && { token }) });

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '0' });
const table = await use(serviceTable(service));
/** A token of another organization. */
const foreign = await foreignToken(table);
/** A token with the scope `read`. */
const reading: string = (await api.call('POST', '/api/v1/tokens', { json: { name: 'reading' } })).body.data
  .token;

describe('notification settings', () => {
  test('are off at first, and replaced as a whole', async () => {
    expect((await api.call('GET', settings)).body.data).toEqual({ mail: null, webhook: null });
    const set = await put({ mail, webhook });
    expect([set.status, set.body.data]).toEqual([
      200,
      { mail: shownMail, webhook: shown, webhookSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
    ]);
    expect((await api.call('GET', settings)).body.data).toEqual({ mail: shownMail, webhook: shown });
    const events = ['checks.completed', 'report.received'];
    const again = await put({ mail: null, webhook: { ...webhook, format: 'teams', events } });
    expect(again.body.data).toEqual({
      mail: null,
      webhook: { ...shown, format: 'teams', events },
      webhookSecret: null,
    });
  });

  test('keep the URL and the secret of a webhook that is sent as it is shown', async () => {
    await put({ mail: null, webhook });
    const { data } = (await api.call('GET', settings)).body;
    const changed = await put({ ...data, webhook: { ...data.webhook, threshold: 'critical' } });
    expect(changed.body.data).toEqual({
      mail: null,
      webhook: { ...shown, threshold: 'critical' },
      webhookSecret: null,
    });
    const whole = await put({ mail: null, webhook });
    expect(whole.body.data.webhookSecret).toBeNull();
    const other = await put({ mail: null, webhook: { ...webhook, url: 'https://hooks.example.org/' } });
    expect(other.body.data.webhookSecret).toMatch(/^whsec_/);
  });

  test('show no more than the host of the webhook, and are not changed by a token that only reads', async () => {
    await put({ mail, webhook });
    for (const token of [reading, service.token]) {
      const { body } = await api.call('GET', settings, { token });
      expect(body.data.webhook.url).toBe('https://hooks.example.org');
    }
    expect((await put({ mail: null, webhook: null }, reading)).status).toBe(403);
    expect((await api.call('POST', `${settings}/test`, { json: {}, token: reading })).status).toBe(403);
  });
});

describe('deliveries', () => {
  test('of tests are listed, and can be repeated', async () => {
    await put({ mail, webhook: null });
    const { status, body } = await api.call('POST', `${settings}/test`, { json: {} });
    expect([status, body.data]).toMatchObject([201, [{ channel: 'mail', kind: 'test' }]]);
    const [{ id }] = body.data;
    const again = await api.call('POST', `${deliveries}/${id}/redeliver`);
    expect(again.status).toBe(201);
    const list = async (query: string) => (await api.call('GET', `${deliveries}?${query}`)).body;
    const { data } = await list('limit=10');
    expect(data.map((one: { id: string }) => one.id)).toEqual([again.body.data.id, id]);
    const first = await list('limit=1');
    expect([first.data.length, first.meta.pagination.hasMore]).toEqual([1, true]);
    expect((await list('limit=1&page=2')).data[0].id).toBe(id);
    for (const token of [foreign, reading]) {
      const { status: other } = await api.call('POST', `${deliveries}/${id}/redeliver`, { token });
      expect(other).toBe(token === foreign ? 404 : 403);
    }
    expect((await api.call('GET', deliveries, { token: foreign })).body.data).toEqual([]);
  });

  test('of tests need a channel that is set', async () => {
    await put({ mail, webhook: null });
    const { status, body } = await api.call('POST', `${settings}/test`, { json: { channel: 'webhook' } });
    expect([status, body.error.details[0].path]).toEqual([400, 'body.channel']);
  });
});
