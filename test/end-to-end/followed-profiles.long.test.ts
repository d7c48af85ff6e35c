/** A compliance profile that an organization follows, against BIND: a requirement lapses, and is fulfilled again. */
import { beforeAll, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { describeWith } from '../kit/describe-with.ts';
import type { BootedService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

describeWith(missingForBind(), 'a followed profile', () => {
  let bind: Bind;
  let service: BootedService;
  let api: ApiClient;
  let id: string;
  let verification: string;

  const publish = (policy: 'none' | 'reject') =>
    bind.publish('example.org', [
      ...[verification, '@ IN MX 0 .', '@ IN TXT "v=spf1 -all"'],
      `_dmarc IN TXT "v=DMARC1; p=${policy}; rua=mailto:dmarc@example.org"`,
    ]);

  beforeAll(async () => {
    bind = await use(startBind(['example.org'], 0));
    service = await useService({
      ...{ DNS_SERVERS: bind.server, CHECK_INTERVAL_SECONDS: '1', API_RATE_PER_MINUTE: '0' },
    });
    api = await apiClient(service);
    const { body } = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'example.org', usageType: 'parked' },
    });
    id = body.data.id;
    verification = `_svc IN TXT "svc-verify=${body.data.verificationToken}"`;
    await publish('reject');
    await api.call('POST', `/api/v1/domains/${id}/verify`);
  });

  const items = async () => (await api.call('GET', '/api/v1/attention?kind=requirement-lapsed')).body.data;
  const checkedAt = async () => (await api.call('GET', `/api/v1/domains/${id}`)).body.data.lastCheckedAt;
  const status = async () =>
    (await api.call('GET', `/api/v1/domains/${id}/compliance?profile=bod-18-01`)).body.data.status;

  /** Waits for two more check runs. */
  async function checkedTwice(): Promise<void> {
    for (let run = 0; run < 2; run += 1) {
      const before = await checkedAt();
      await until(async () => (await checkedAt()) !== before, { what: 'a check run' });
    }
  }

  test('opens an attention item once a requirement lapses, and closes it when it is fulfilled again', async () => {
    await publish('none');
    await until(async () => (await status()) === 'violated', { what: 'a violation' });
    await checkedTwice();
    // Nobody follows the profile yet.
    expect(await items()).toEqual([]);
    await api.call('PUT', '/api/v1/compliance/settings', { json: { follows: ['bod-18-01'] } });
    await checkedTwice();
    // What was violated before is no news.
    expect(await items()).toEqual([]);
    await publish('reject');
    await until(async () => (await status()) === 'fulfilled', { what: 'compliance' });
    await checkedTwice();
    await publish('none');
    await until(async () => (await items()).length > 0, { what: 'an attention item' });
    expect(await items()).toEqual([
      expect.objectContaining({
        ...{ id: `${id}.requirement-lapsed`, severity: 'warning', domain: 'example.org' },
        title: 'example.org no longer fulfills requirements: bod-18-01/reject',
        action: {
          label: 'Show the requirements',
          url: expect.stringContaining(`/console/domains/${id}/compliance?profile=bod-18-01`),
        },
      }),
    ]);
    await publish('reject');
    await until(async () => (await items()).length === 0, { what: 'no attention item' });
  });
});
