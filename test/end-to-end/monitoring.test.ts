import { beforeAll, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { describeWith } from '../kit/describe-with.ts';
import type { BootedService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

describeWith(missingForBind(), 'monitoring against BIND', () => {
  let bind: Bind;
  let service: BootedService;
  let api: ApiClient;
  let id: string;
  let verification: string;

  const strict = ['@ IN MX 0 .', '@ IN TXT "v=spf1 -all"', '_dmarc IN TXT "v=DMARC1; p=reject"'];

  beforeAll(async () => {
    bind = await use(startBind(['example.org'], 0));
    service = await useService({ DNS_SERVERS: bind.server, CHECK_INTERVAL_SECONDS: '1' });
    api = await apiClient(service);
    const { body } = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'example.org', usageType: 'parked' },
    });
    id = body.data.id;
    verification = `_svc IN TXT "svc-verify=${body.data.verificationToken}"`;
    await bind.publish('example.org', [verification, ...strict]);
    await api.call('POST', `/api/v1/domains/${id}/verify`);
    await until(async () => (await lastCheckedAt()) !== null);
  });

  const lastCheckedAt = async () => (await api.call('GET', `/api/v1/domains/${id}`)).body.data.lastCheckedAt;
  const alerts = async (query = '') => (await api.call('GET', `/api/v1/alerts${query}`)).body.data;

  test('a verified domain is checked periodically, without alerts while nothing changes', async () => {
    const first = await lastCheckedAt();
    await until(async () => (await lastCheckedAt()) > first);
    expect(await alerts()).toEqual([]);
  });

  test('a weakened record and its repair raise one alert each, with the change of the score', async () => {
    await bind.publish('example.org', [verification, ...strict.with(2, '_dmarc IN TXT "v=DMARC1; p=none"')]);
    await until(async () => (await alerts()).length > 0);
    const raised = await alerts();
    expect(raised.find((one: { type: string }) => one.type === 'dns_change')).toMatchObject({
      domainId: id,
      domainName: 'example.org',
      severity: 'critical',
      title: 'DMARC weakened: example.org',
      message: expect.stringMatching(/^Weaker: p from reject to none; /),
      read: false,
      metadata: {
        check: 'dmarc',
        recordsRemoved: ['v=DMARC1; p=reject'],
        recordsAdded: ['v=DMARC1; p=none'],
        findingsRemoved: [],
      },
    });
    const fall = raised.find((one: { type: string }) => one.type === 'score_change');
    expect(fall.metadata.newScore).toBeLessThan(fall.metadata.previousScore);
    expect(fall.createdAt).toMatch(/\.\d{3}Z$/);

    await bind.publish('example.org', [verification, ...strict]);
    await until(async () => (await alerts()).length >= 2 * raised.length);
    const settled = await lastCheckedAt();
    await until(async () => (await lastCheckedAt()) > settled);
    const all = await alerts();
    expect(all).toHaveLength(2 * raised.length);
    expect(all.find((one: { type: string }) => one.type === 'score_change')).toMatchObject({
      severity: 'info',
      metadata: { previousScore: fall.metadata.newScore, newScore: fall.metadata.previousScore },
    });
  });

  test('the history has an entry for each change and for each score, newest first', async () => {
    const history = async (path: string) => (await api.call('GET', `/api/v1/domains/${id}/${path}`)).body;
    const { data: changes } = await history('checks/history');
    const dmarc = changes.map((entry: { changes: { check: string; recordsAdded: string[] }[] }) =>
      entry.changes.filter(({ check }) => check === 'dmarc').flatMap(({ recordsAdded }) => recordsAdded),
    );
    expect(dmarc).toEqual([['v=DMARC1; p=reject'], ['v=DMARC1; p=none'], ['v=DMARC1; p=reject']]);
    const { data: scores } = await history('score/history');
    expect(scores).toHaveLength(3);
    expect(scores[0]).toEqual({ ...scores[2], at: expect.any(String) });
    expect(scores[1].score).toBeLessThan(scores[0].score);
    expect(await history('score/history?limit=1&page=2')).toEqual({
      data: [scores[1]],
      meta: { pagination: { page: 2, limit: 1, hasMore: true } },
    });
  });

  test('alerts can be filtered, paged and marked as read', async () => {
    const all = await alerts();
    const infos = await alerts(`?domainId=${id}&severity=info&unreadOnly=true`);
    expect(infos).toEqual(all.filter((one: { severity: string }) => one.severity === 'info'));

    const { body: page } = await api.call('GET', '/api/v1/alerts?limit=1&page=2');
    expect(page).toMatchObject({
      data: [all[1]],
      meta: { pagination: { page: 2, limit: 1, hasMore: all.length > 2 } },
    });

    const causes = await alerts('?groupBy=cause');
    const counts = causes.map(({ cause }: { cause: { count: number } }) => cause.count);
    expect(counts.reduce((sum: number, one: number) => sum + one, 0)).toBe(all.length);
    const [{ cause, ...newest }] = causes;
    expect(newest).toEqual(all[0]);
    expect(cause).toEqual({ count: 1, unread: 1, since: newest.createdAt });

    const read = await api.call('PATCH', `/api/v1/alerts/${all[0].id}`, { json: { read: true } });
    expect(read.body.data).toEqual({ ...all[0], read: true });
    const again = (tag: string) =>
      api.call('PATCH', `/api/v1/alerts/${all[0].id}`, {
        json: { read: true },
        headers: { 'if-match': tag },
      });
    expect((await again(read.headers.get('etag') ?? '')).status).toBe(200);
    expect((await again('"another"')).status).toBe(412);
    expect(await alerts()).toEqual([read.body.data, ...all.slice(1)]);
    expect(await alerts('?unreadOnly=true')).toEqual(all.slice(1));
  });
});
