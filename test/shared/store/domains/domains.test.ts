import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { patchOf } from '../../../../shared/store/domains/domain.ts';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import { scheduleStore } from '../../../../shared/store/domains/schedule.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { registerDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();
const domains = domainStore(table);

const now = new Date('2026-01-01T00:00:00.000Z');
const later = new Date('2026-01-02T00:00:00.000Z');

async function organization(limit: number | null = null): Promise<string> {
  const organizations = organizationStore(table);
  const { id } = await organizations.create('An organization', now, randomUUID());
  await organizations.setDomainLimit(id, limit);
  return id;
}

const given = (domain: string) => ({ domain, usageType: 'parked', testEmailLocalPart: null }) as const;

const registered = (org: string, name = 'example.org') => registerDomain(table, org, name, now);

const count = async (org: string) => (await organizationStore(table).get(org))?.domainCount;

describe('registering', () => {
  test('gives every domain an unguessable token and mailbox', async () => {
    const org = await organization();
    const [one, two] = [await registered(org, 'one.example'), await registered(org, 'two.example')];
    expect(one.mailbox).toMatch(/^[0-9a-f]{24}$/);
    expect(one.verificationToken).toMatch(/^[\w-]{32}$/);
    expect(new Set([one.mailbox, two.mailbox, one.verificationToken, two.verificationToken]).size).toBe(4);
  });

  test('accepts one of twenty concurrent registrations of a name', async () => {
    const org = await organization();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => domains.register(org, given('example.org'), 100, now)),
    );
    expect(outcomes.filter(({ status }) => status === 'registered')).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 'exists')).toHaveLength(19);
    expect(await count(org)).toBe(1);
    expect(await registered(await organization())).toMatchObject({ domain: 'example.org' });
  });

  test('stops at the default limit, also for concurrent requests', async () => {
    const org = await organization();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, at) => domains.register(org, given(`d${at}.example`), 5, now)),
    );
    expect(outcomes.filter(({ status }) => status === 'registered')).toHaveLength(5);
    expect(outcomes.filter(({ status }) => status === 'limit-reached')).toHaveLength(7);
  });

  test.each([
    [0, 'limit-reached'],
    [1, 'registered'],
  ])('applies the limit of the organization, %i, instead of the default', async (limit, status) => {
    expect((await domains.register(await organization(limit), given('example.org'), 0, now)).status).toBe(
      status,
    );
  });
});

describe('listing', () => {
  test('contains no domain of another organization', async () => {
    const [one, two] = [await organization(), await organization()];
    const domain = await registered(one);
    expect(await domains.list(two, 1, 20)).toEqual({ domains: [], hasMore: false });
    expect(await domains.get(two, domain.id)).toBeUndefined();
  });
});

describe('changing a domain', () => {
  test('succeeds only if the stored state is the one that was read', async () => {
    const org = await organization();
    const before = await registered(org);
    const change = { usageType: 'sends-only' as const, testEmailLocalPart: null, dkimSelectors: ['s1'] };
    const after = await domains.change(before, { ...change, hasBadge: false }, later);
    expect(after).toEqual({ ...before, ...change, updatedAt: later.toISOString() });
    expect(await domains.get(org, before.id)).toEqual(after);
    expect(await domains.change(before, { ...change, hasBadge: false }, later)).toBeUndefined();
  });
});

describe('a change by the owner', () => {
  test('keeps every field that it leaves out, whatever else is changed', async () => {
    const org = await organization();
    const given = await registered(org);
    const fields = {
      usageType: 'sends-only',
      testEmailLocalPart: null,
      dkimSelectors: ['s1'],
      tags: ['a'],
    } as const;
    const changed = await domains.change(
      given,
      { ...fields, dkimSelectors: ['s1'], tags: ['a'], hasBadge: true },
      later,
    );
    if (changed === undefined) throw new Error('changed meanwhile');
    const { badgeToken } = changed;
    expect(badgeToken).toMatch(/./);
    const after = await domains.change(
      changed,
      { tags: ['b'], dkimSelectors: undefined, hasBadge: true },
      later,
    );
    expect(after).toMatchObject({ ...fields, tags: ['b'], badgeToken });
    expect(await domains.get(org, given.id)).toEqual(after);
  });

  test('removes an optional field with null, and stores null in a field that can be null', () => {
    expect(patchOf({ ownership: null, testEmailLocalPart: null, tags: undefined })).toStrictEqual({
      ownership: undefined,
      testEmailLocalPart: null,
    });
  });
});

describe('verifying', () => {
  test('adds the domain to the index of due domains', async () => {
    const org = await organization();
    const domain = await registered(org);
    expect(await domains.markVerified(domain, later)).toMatchObject({
      verified: true,
      updatedAt: later.toISOString(),
    });
    expect((await scheduleStore(table).dueOf(org, later, 25)).count).toBe(1);
  });

  test('reports a deleted domain', async () => {
    const org = await organization();
    const domain = await registered(org);
    await domains.remove(domain, later);
    expect(await domains.markVerified(domain, later)).toBeUndefined();
  });
});

describe('deleting', () => {
  test('releases the name and the place in the limit at once', async () => {
    const org = await organization(1);
    const domain = await registered(org);
    expect(await domains.remove(domain, later)).toBe(true);
    expect(await domains.get(org, domain.id)).toBeUndefined();
    expect((await domains.register(org, given('example.org'), 100, later)).status).toBe('registered');
  });

  test('counts once for concurrent requests', async () => {
    const org = await organization();
    const [domain] = [await registered(org), await registered(org, 'other.example')];
    const outcomes = await Promise.all([domains.remove(domain, later), domains.remove(domain, later)]);
    expect(outcomes.toSorted()).toEqual([true, undefined]);
    expect(await count(org)).toBe(1);
  });
});
