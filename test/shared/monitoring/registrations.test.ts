/** Registries asked by RDAP over real HTTPS on loopback. */
import { describe, expect, test } from '@jest/globals';
import { registeredDomain } from '../../../shared/monitoring/registrations.ts';
import type { Page } from '../../kit/https-host.ts';
import { rdapDomain, startRegistry } from '../../kit/registry.ts';

const start = Date.parse('2026-06-01T12:00:00Z');
const later = (minutes: number) => new Date(start + minutes * 60_000);
const DAY = 24 * 60;

test('the registered domain is below an official suffix', () => {
  const names = ['a.b.shop.example', 'shop.co.uk', 'me.github.io', 'co.uk', 'localhost'];
  expect(names.map(registeredDomain)).toEqual([
    'shop.example',
    'shop.co.uk',
    // The registered domain is the provider's.
    undefined,
    undefined,
    undefined,
  ]);
});

describe('a registry', () => {
  test('is found by the list, and asked once about a domain within hours', async () => {
    const { registrations, host } = await startRegistry({
      '/v1/domain/shop.example': { body: rdapDomain('shop.example') },
    });
    const answers = await Promise.all([0, 1].map(() => registrations.lookUp('shop.example', later(0))));
    expect(answers[0]).toMatchObject({
      status: 'found',
      registration: { statuses: ['client transfer prohibited'] },
    });
    const asked = () => host.requests.filter((request) => request.endsWith('shop.example')).length;
    const before = asked();
    await registrations.lookUp('shop.example', later(6 * 60 - 1));
    expect(asked()).toBe(before);
    expect(host.requests.filter((request) => request === 'GET /rdap/dns.json')).toHaveLength(1);
    await registrations.lookUp('shop.example', later(6 * 60 + 1));
    expect(asked()).toBe(before + 1);
  });

  test('that has no such domain says so, which is no failure', async () => {
    const { registrations } = await startRegistry({});
    expect(await registrations.lookUp('gone.example', later(0))).toEqual({ status: 'absent' });
  });

  test.each([['shop.plain'], ['shop.test']])('without an HTTPS server is not asked: %s', async (domain) => {
    const { registrations, host } = await startRegistry({});
    expect(await registrations.lookUp(domain, later(0))).toEqual({ status: 'not-offered' });
    expect(host.requests).toEqual(['GET /rdap/dns.json']);
  });

  test('with a private address is not asked', async () => {
    const { registrations } = await startRegistry({});
    expect(await registrations.lookUp('shop.closed', later(0))).toEqual({
      ...{ status: 'unavailable', reason: 'address-not-public' },
    });
  });

  test.each<[string, Page, string]>([
    ['fails', { status: 500 }, 'HTTP status 500'],
    ['answers something else', { body: '<html>' }, 'the answer is not about the domain'],
    [
      'answers about another domain',
      { body: rdapDomain('other.example') },
      'the answer is not about the domain',
    ],
    ['answers without an end', { body: 'x'.repeat(200_000) }, 'too-large'],
  ])('that %s is unavailable', async (_, page, reason) => {
    const { registrations } = await startRegistry({ '/v1/domain/shop.example': page });
    expect(await registrations.lookUp('shop.example', later(0))).toEqual({ status: 'unavailable', reason });
  });

  test('that asks for a pause gets it, for all domains', async () => {
    const pages: Record<string, Page> = {
      '/v1/domain/shop.example': { status: 429, headers: { 'Retry-After': '3600' } },
      '/v1/domain/other.example': { body: rdapDomain('other.example') },
    };
    const { registrations, host } = await startRegistry(pages);
    await registrations.lookUp('shop.example', later(0));
    expect(await registrations.lookUp('other.example', later(59))).toMatchObject({ status: 'unavailable' });
    expect(host.requests).toHaveLength(2);
    expect(await registrations.lookUp('other.example', later(60))).toMatchObject({ status: 'found' });
  });

  test.each([400, 403, 422])('that refuses one domain with %i answers about others', async (status) => {
    const { registrations } = await startRegistry({
      '/v1/domain/shop.example': { status },
      '/v1/domain/other.example': { body: rdapDomain('other.example') },
    });
    expect(await registrations.lookUp('shop.example', later(0))).toEqual({
      ...{ status: 'unavailable', reason: `HTTP status ${status}` },
    });
    expect(await registrations.lookUp('other.example', later(0))).toMatchObject({ status: 'found' });
  });
});

describe('a registry that refuses this service', () => {
  test.each([401, 403])('gets a pause after three domains in a row, until it answers: %i', async (status) => {
    const pages: Record<string, Page> = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`/v1/domain/${name}.example`, { status }]),
    );
    const { registrations, host } = await startRegistry(pages);
    const lookUp = async (name: string, minutes: number) =>
      (await registrations.lookUp(`${name}.example`, later(minutes))).status;
    // One domain may be refused for itself, and 404 is an answer.
    for (const name of ['a', 'a', 'a', 'b', 'gone', 'a', 'b', 'c']) await lookUp(name, 0);
    const asked = host.requests.length;
    expect(host.requests.at(-1)).toBe('GET /v1/domain/c.example');
    await lookUp('d', 9);
    expect(host.requests).toHaveLength(asked);
    await lookUp('d', 10);
    pages['/v1/domain/shop.example'] = { body: rdapDomain('shop.example') };
    expect(await lookUp('shop', 19)).toBe('unavailable');
    expect(host.requests).toHaveLength(asked + 1);
    expect([await lookUp('shop', 22), await lookUp('a', 22), await lookUp('other', 22)]).toEqual([
      'found',
      'unavailable',
      'absent',
    ]);
  });
});

describe('the list of servers', () => {
  test('that cannot be fetched is fetched again after an hour, and the one before stays', async () => {
    const pages: Record<string, Page> = {
      '/rdap/dns.json': { status: 503 },
      '/v1/domain/shop.example': { body: rdapDomain('shop.example') },
    };
    const { registrations, host } = await startRegistry(pages);
    const lookUp = async (minutes: number) =>
      (await registrations.lookUp('shop.example', later(minutes))).status;
    expect([await lookUp(0), await lookUp(30), host.requests.length]).toEqual([
      'unavailable',
      'unavailable',
      1,
    ]);
    delete pages['/rdap/dns.json'];
    pages['/rdap/dns.json'] = { body: '{"services":[[["example"],["https://rdap.test/v1"]]]}' };
    expect(await lookUp(61)).toBe('found');
    pages['/rdap/dns.json'] = { body: 'broken' };
    expect(await lookUp(61 + DAY)).toBe('found');
  });
});
