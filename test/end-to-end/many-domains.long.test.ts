/** Many domains: registered in batches, tagged, filtered and sorted. */
import { describe, expect, test } from '@jest/globals';
import { foreignToken, serviceTable } from '../kit/service-table.ts';
import { useApi } from '../kit/use-service.ts';

const LIMIT = 24;

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '0', DOMAIN_LIMIT: String(LIMIT) });
const table = await serviceTable(service);
/** A token of another organization. */
const foreign = await foreignToken(table);
await table.stop();

const batch = async (domains: unknown[], token?: string) =>
  api.call('POST', '/api/v1/domains/batch', { json: { domains }, ...(token !== undefined && { token }) });
const parked = (domain: string, more: object = {}) => ({ domain, usageType: 'parked', ...more });
const names = async (query: string, token?: string): Promise<string[]> => {
  const { status, body } = await api.call(
    'GET',
    `/api/v1/domains?${query}`,
    token === undefined ? {} : { token },
  );
  expect(status).toBe(200);
  return body.data.map(({ domain }: { domain: string }) => domain.replace('.example', ''));
};

describe('a batch', () => {
  test('can be repeated, and is in the audit log with what it registered', async () => {
    const statuses = [];
    for (const name of ['four', 'five'])
      statuses.push(
        ...(await batch([parked('one.example', { tags: ['live', 'eu'] }), parked(`${name}.example`)])).body
          .data,
      );
    expect(statuses.map((one: { status: number }) => one.status)).toEqual([201, 201, 409, 201]);
    const { data } = (await api.call('GET', '/api/v1/audit?limit=3')).body;
    expect(data.map(({ action, name }: Record<string, string>) => [action, name]).toSorted()).toEqual([
      ['createDomains', 'five.example'],
      ['createDomains', 'four.example'],
      ['createDomains', 'one.example'],
    ]);
  });

  test('stops at the domain limit', async () => {
    const { body } = await batch(
      Array.from({ length: LIMIT }, (_, n) => parked(`f${n}.example`)),
      foreign,
    );
    expect(body.data.every(({ status }: { status: number }) => status === 201)).toBe(true);
    const { data } = (await batch([parked('over.example')], foreign)).body;
    expect(data).toEqual([
      { outcome: 'refused', status: 403, error: expect.objectContaining({ code: 'domain_limit_reached' }) },
    ]);
  });
});

describe('a list', () => {
  test('shows the grade and the tags that a domain has now', async () => {
    const [domain] = (await api.call('GET', '/api/v1/domains?q=one.')).body.data;
    const path = `/api/v1/domains/${domain.id}`;
    const { body } = await api.call('PATCH', path, { json: { tags: ['us'] } });
    expect(body.data.tags).toEqual(['us']);
    await api.call('POST', `${path}/checks`);
    const { grade } = (await api.call('GET', `${path}/score`)).body.data;
    expect([await names('tag=live'), await names(`tag=us&grade=${grade}`)]).toEqual([[], ['one']]);
    expect((await api.call('PATCH', path, { json: { usageType: 'sends-only' } })).body.data.tags).toEqual([
      'us',
    ]);
    await api.call('DELETE', path);
    expect(await names('tag=us')).toEqual([]);
  });

  test('contains no domain of another organization', async () => {
    expect(await names('q=f&limit=100', foreign)).toHaveLength(LIMIT);
    expect(await names('q=five', foreign)).toEqual([]);
    expect(await names('tag=live', foreign)).toEqual([]);
  });
});
