/** Who created a token is stored, and revoking one can revoke what it created. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../../lib/admin/command.ts';
import { operatorFor } from '../../../../shared/operations/operation.ts';
import { createToken } from '../../../../shared/operations/tokens/create-token.ts';
import { deleteToken } from '../../../../shared/operations/tokens/delete-token.ts';
import { notificationSettingsStore } from '../../../../shared/store/alerts/notification-settings.ts';
import type { TokenInfo } from '../../../../shared/store/api-tokens.ts';
import { invitationStore } from '../../../../shared/store/invitations.ts';
import { organizationTokenKey } from '../../../../shared/store/keys.ts';
import { memberStore } from '../../../../shared/store/members.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { adminCommand } from '../../../kit/admin.ts';
import { auditOn } from '../../../kit/audit.ts';
import { callerWith, done } from '../../../kit/operations.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00.000Z');

let organization: string;
let root: TokenInfo;

const table = await useTable();
beforeEach(async () => {
  organization = (await organizationStore(table).create('Org', now)).id;
  root = (await organizationStore(table).createToken(organization, { name: 'root', label: 'svc' }, now)).info;
});

const dependencies = () => ({
  organizations: organizationStore(table),
  notifications: notificationSettingsStore(table),
  members: memberStore(table),
  clock: { now: () => now },
  ...auditOn(table),
});
const createWith = (name: string, own: TokenInfo) =>
  createToken(callerWith(own), { name, scope: 'admin' }, { ...dependencies(), label: 'svc' });
const create = async (name: string, own: TokenInfo) => done(await createWith(name, own)).info;
const valid = async () =>
  (await organizationStore(table).listTokens(organization))
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ name }) => name)
    .toSorted();
const deleteIt = (id: string, created = true, deps = dependencies()) =>
  deleteToken(operatorFor(organization), { id, ...(created && { created: 'revoke' }) }, deps);
const revoke = async (...given: Parameters<typeof deleteIt>) =>
  done(await deleteIt(...given)).map(({ name }) => name);

/** root created a and b, a created a1, and a1 created a2. */
async function family() {
  const a = await create('a', root);
  const [b, a1] = [await create('b', root), await create('a1', a)];
  return { a, b, a1, a2: await create('a2', a1) };
}

test('a revoked token takes the members that it invited with it, and what they made, but not who asks', async () => {
  const invite = async (person: string, by: TokenInfo) => {
    const given = { organization, mail: `${person}@example.org`, scope: 'admin' as const, by };
    const { invitation } = await invitationStore(table).create(given, now);
    const joined = await memberStore(table).join(invitation, `${person}-${organization}`, now);
    if (joined === undefined) throw new Error(`${person} is no member`);
    return joined;
  };
  const leaked = await create('leaked', root);
  const [evil, asking] = [await invite('evil', leaked), await invite('asking', leaked)];
  await create('of evil', evil);
  await create('of asking', asking);
  await invite('friend', await create('also of evil', evil));
  done(await deleteToken(callerWith(asking), { id: leaked.id, created: 'revoke' }, dependencies()));
  expect(await valid()).toEqual(['asking@example.org', 'of asking', 'root']);
  expect(await memberStore(table).of(`evil-${organization}`)).toEqual([]);
});

test('a token has its creators, the nearest first', async () => {
  const { a, a1, a2 } = await family();
  expect(root.creators).toEqual([]);
  expect(a2.creators).toEqual([a1.id, a.id, root.id]);
});

test('creators that were revoked leave the list, so that it does not grow by replacing tokens', async () => {
  let own = root;
  for (let n = 0; n < 5; n += 1) {
    const next = await create(`n${n}`, own);
    await organizationStore(table).revokeToken(own, now);
    own = next;
  }
  // The one that creates was still valid then.
  expect(own.creators).toHaveLength(1);
});

test('a token that was revoked while it creates one creates none', async () => {
  await organizationStore(table).revokeToken(root, now);
  expect(await createWith('late', root)).toMatchObject({ code: 'forbidden' });
  expect(await valid()).toEqual([]);
});

describe('revoking a token', () => {
  test('leaves what it created unless this is wanted', async () => {
    const { a } = await family();
    expect(await revoke(a.id, false)).toEqual(['a']);
    expect(await valid()).toEqual(['a1', 'a2', 'b', 'root']);
  });

  test('revokes all that it created, directly or not, and nothing else', async () => {
    const { a } = await family();
    expect((await revoke(a.id)).toSorted()).toEqual(['a', 'a1', 'a2']);
    expect(await valid()).toEqual(['b', 'root']);
  });

  test('reaches what was created by a token that is no longer listed', async () => {
    const { a, a1 } = await family();
    await organizationStore(table).revokeToken(a1, now);
    await table.delete(organizationTokenKey(organization, a1.hash));
    expect(await revoke(a.id)).toEqual(['a', 'a2']);
  });

  test('can be repeated after a crash', async () => {
    const { a } = await family();
    const { organizations, ...others } = dependencies();
    let writes = 0;
    const dying = {
      ...organizations,
      async revokeToken(...given: Parameters<typeof organizations.revokeToken>) {
        writes += 1;
        if (writes === 2) throw new Error('killed');
        return organizations.revokeToken(...given);
      },
    };
    await expect(revoke(a.id, true, { ...others, organizations: dying })).rejects.toThrow('killed');
    expect(await deleteIt(a.id, false)).toMatchObject({ code: 'not_found' });
    await revoke(a.id);
    expect(await valid()).toEqual(['b', 'root']);
  });

  test('also revokes what one of them creates meanwhile', async () => {
    const { a, a1 } = await family();
    const { organizations, ...others } = dependencies();
    let isCreated = false;
    const slow = {
      ...organizations,
      async revokeToken(...given: Parameters<typeof organizations.revokeToken>) {
        const isRevoked = await organizations.revokeToken(...given);
        if (!isCreated) await create('meanwhile', a1);
        isCreated = true;
        return isRevoked;
      },
    };
    await revoke(a.id, true, { ...others, organizations: slow });
    expect(await valid()).toEqual(['b', 'root']);
  });

  test('of another organization finds nothing', async () => {
    const { id } = await organizationStore(table).create('Other', now);
    const input = { id: root.id, created: 'revoke' } as const;
    expect(await deleteToken(operatorFor(id), input, dependencies())).toMatchObject({ code: 'not_found' });
  });

  test('by an operator can revoke what it created', async () => {
    const { a } = await family();
    const admin = (...args: string[]) => adminCommand(args)(dependencies() as unknown as AdminDependencies);
    const begin = a.hash.slice(0, 12);
    const printed = await admin('token', 'revoke', organization, begin, '--created');
    expect(printed).toHaveLength(3);
    expect(printed[0]).toBe(`revoked ${begin}  a`);
    expect(await valid()).toEqual(['b', 'root']);
    await expect(admin('token', 'revoke', organization, begin)).rejects.toThrow('is revoked already');
  });
});
