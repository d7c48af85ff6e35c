import { createHash } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { endOf, validToken } from '../../../shared/store/api-tokens.ts';
import { tokenKey } from '../../../shared/store/keys.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();
const organizations = organizationStore(table);

const now = new Date('2026-01-01T00:00:00.000Z');
const tomorrow = new Date('2026-01-02T00:00:00.000Z');

const organizationOf = async (token: string, at: Date) => (await validToken(table, token, at))?.organization;

const issue = async (options: { expiresAt?: Date; token?: string } = {}) => {
  const { id } = await organizations.create('An organization', now);
  return {
    id,
    token: (await organizations.createToken(id, { name: 'ci', label: 'svc', ...options }, now)).token,
  };
};

describe('a token', () => {
  test('identifies its organization', async () => {
    const { id, token } = await issue();
    expect(await organizationOf(token, now)).toBe(id);
  });

  test('has 256 random bits after the label', async () => {
    expect((await issue()).token).toMatch(/^svc_[\w-]{43}$/);
  });

  test('is stored only as its hash', async () => {
    const { token } = await issue();
    const hash = createHash('sha256').update(token).digest('hex');
    const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: tokenKey(hash) }));
    expect(Item).toBeDefined();
    expect(JSON.stringify(Item)).not.toContain(token);
  });

  test('is unknown if it was never issued', async () => {
    expect(await organizationOf('svc_nobody', now)).toBeUndefined();
  });

  test('is invalid after its expiry', async () => {
    const { id, token } = await issue({ expiresAt: tomorrow });
    expect(await organizationOf(token, new Date(tomorrow.getTime() - 1))).toBe(id);
    expect(await organizationOf(token, tomorrow)).toBeUndefined();
  });

  test('is invalid after its revocation, without effect on others', async () => {
    const { id, token } = await issue();
    const other = (await organizations.createToken(id, { name: 'other', label: 'svc' }, tomorrow)).token;
    const [info] = await organizations.listTokens(id);
    if (info === undefined) throw new Error('the token is not listed');
    await organizations.revokeToken(info, tomorrow);
    expect(await organizationOf(token, tomorrow)).toBeUndefined();
    expect(await organizationOf(other, tomorrow)).toBe(id);
    expect((await organizations.listTokens(id)).map(({ name, revokedAt }) => [name, revokedAt])).toEqual([
      ['ci', tomorrow.toISOString()],
      ['other', null],
    ]);
  });
});

test('of the tokens of an organization, those that are valid count to the limit', async () => {
  const { id } = await organizations.create('Limited', now);
  const create = async (at: Date, expiresAt: Date | null = null) =>
    (await organizations.createTokenWithin(2, id, { name: 't', label: 'svc', expiresAt }, at)) !== undefined;
  expect([await create(now, tomorrow), await create(now), await create(now)]).toEqual([true, true, false]);
  expect([await create(tomorrow), await create(tomorrow)]).toEqual([true, false]);
});

describe('a token with a given value', () => {
  test('is issued once: issuing it again after its end is reported and does not renew it', async () => {
    const { id, token } = await issue({ token: 'a-token-of-our-own' });
    const info = await organizations.tokenInfo(token);
    if (info === undefined) throw new Error('the token is not known');
    expect([info.organization, endOf(info, now)]).toEqual([id, undefined]);
    await organizations.revokeToken(info, now);
    await expect(issue({ token })).rejects.toThrow();
    expect(await organizationOf(token, now)).toBeUndefined();
    const ended = await organizations.tokenInfo(token);
    expect(ended && endOf(ended, now)).toBe('revoked');
  });

  test('is unknown if it was never issued', async () => {
    expect(await organizations.tokenInfo('svc_nobody')).toBeUndefined();
  });
});

describe('an organization', () => {
  test('is created once per id', async () => {
    await organizations.create('One', now, 'fixed');
    await expect(organizations.create('Two', now, 'fixed')).rejects.toThrow();
    expect((await organizations.get('fixed'))?.name).toBe('One');
  });

  test('has the default limit until one is set, and again after that is removed', async () => {
    const { id } = await organizations.create('One', now);
    const limit = async () => (await organizations.get(id))?.domainLimit;
    expect(await limit()).toBeNull();
    await organizations.setDomainLimit(id, 3);
    expect(await limit()).toBe(3);
    await organizations.setDomainLimit(id, null);
    expect(await limit()).toBeNull();
  });

  test('that does not exist has no limit to set', async () => {
    expect(await organizations.setDomainLimit('nowhere', 1)).toBe(false);
    expect(await organizations.get('nowhere')).toBeUndefined();
  });

  test('is listed for operators', async () => {
    const { id } = await organizations.create('Listed', now);
    expect(await organizations.list()).toContainEqual({ id, name: 'Listed', createdAt: now.toISOString() });
  });
});
