/** Invitations and members: who can join, what a role and its end change, and that one admin always remains. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Mail, MailRefused } from '../../../../shared/notify/mail.ts';
import { operatorFor } from '../../../../shared/operations/operation.ts';
import { Refused } from '../../../../shared/operations/outcome.ts';
import {
  createInvitation,
  type InvitationDependencies,
} from '../../../../shared/operations/people/create-invitation.ts';
import { deleteInvitation } from '../../../../shared/operations/people/delete-invitation.ts';
import { leaveOrganization } from '../../../../shared/operations/people/leave.ts';
import { removeMember } from '../../../../shared/operations/people/remove-member.ts';
import { updateMember } from '../../../../shared/operations/people/update-member.ts';
import { createToken } from '../../../../shared/operations/tokens/create-token.ts';
import { deleteToken } from '../../../../shared/operations/tokens/delete-token.ts';
import { notificationSettingsStore } from '../../../../shared/store/alerts/notification-settings.ts';
import { isMember, type Member, type TokenInfo } from '../../../../shared/store/api-tokens.ts';
import { invitationStore } from '../../../../shared/store/invitations.ts';
import { memberStore } from '../../../../shared/store/members.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { rateStore } from '../../../../shared/store/rates/rates.ts';
import { findSession, sessionStore } from '../../../../shared/store/sessions.ts';
import { tokensOf } from '../../../../shared/views/tokens.ts';
import { join } from '../../../kit/members.ts';
import { callerWith, done } from '../../../kit/operations.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00Z');
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const clock = { now: () => now };

let organization: string;
let admin: TokenInfo;
let mails: Mail[];

const table = await useTable(clock);
beforeEach(async () => {
  mails = [];
  organization = (await organizationStore(table).create('Org', now)).id;
  const given = { name: 'ci', label: 'svc', scope: 'admin' as const };
  admin = (await organizationStore(table).createToken(organization, given, now)).info;
});

const inviting = (): InvitationDependencies => ({
  organizations: organizationStore(table),
  invitations: invitationStore(table),
  rates: rateStore(table),
  sendMail: async (mail) => {
    mails.push(mail);
  },
  ownDomains: ['reports.example'],
  hasProvider: true,
  hostUrl: 'https://monitor.example',
  clock,
});
const removing = () => ({
  ...{ organizations: organizationStore(table), members: memberStore(table), clock },
  notifications: notificationSettingsStore(table),
});
const creating = () => ({
  organizations: organizationStore(table),
  notifications: notificationSettingsStore(table),
  label: 'svc',
  clock,
});

const invite = async (mail: string, deps = inviting(), by = admin) =>
  createInvitation(callerWith(by), { mail, role: 'viewer' }, deps);
const textIn = (link: string) => new URL(link).searchParams.get('link') ?? '';
const accept = async (link: string, person: string, at = now) => {
  const found = await invitationStore(table).find(textIn(link), at);
  return found && memberStore(table).join(found, person, at);
};
const members = async () =>
  (await organizationStore(table).listTokens(organization)).filter(
    (one): one is Member => isMember(one) && one.revokedAt === null,
  );
const codeOf = (outcome: unknown) => (outcome instanceof Refused ? outcome.code : 'done');

describe('an invitation', () => {
  test('is mailed with a link that makes one person a member, once', async () => {
    const { link, isMailed } = done(await invite('Jo@Example.org'));
    expect([isMailed, mails.map(({ to }) => to)]).toEqual([true, ['jo@example.org']]);
    expect(mails[0]?.text).toContain(link);
    expect(await accept(link, 'p1')).toMatchObject({
      ...{
        name: 'jo@example.org',
        scope: 'read',
        organization,
        member: { person: 'p1', invitedBy: admin.id },
      },
    });
    expect(await accept(link, 'p2')).toBeUndefined();
    expect((await members()).map(({ name }) => name)).toEqual(['jo@example.org']);
  });

  test('is stored without its secret', async () => {
    const { link, invitation } = done(await invite('jo@example.org'));
    expect(JSON.stringify(invitation)).not.toContain(textIn(link).split('.')[2]);
  });

  test('of two who accept it at the same time makes one a member', async () => {
    const { link } = done(await invite('jo@example.org'));
    const both = await Promise.all(['p1', 'p2'].map((person) => accept(link, person)));
    expect(both.filter((one) => one !== undefined)).toHaveLength(1);
  });

  test.each([
    ['after seven days', async (link: string) => accept(link, 'p1', later(7))],
    ['with another secret', async (link: string) => accept(link.replace(/.{43}$/, 'x'.repeat(43)), 'p1')],
    [
      'when it was withdrawn',
      async (link: string) => {
        const [, id = ''] = textIn(link).split('.');
        done(await deleteInvitation(callerWith(admin), { id }, inviting()));
        return accept(link, 'p1');
      },
    ],
    [
      'when the same address was invited again',
      async (link: string) => {
        done(await invite('jo@example.org'));
        return accept(link, 'p1');
      },
    ],
    [
      'when the token that made it was revoked',
      async (link: string) => {
        await organizationStore(table).revokeToken(admin, now);
        return accept(link, 'p1');
      },
    ],
  ])('cannot be used %s', async (_when, use) => {
    const { link } = done(await invite('jo@example.org'));
    expect(await use(link)).toBeUndefined();
    expect(await members()).toEqual([]);
  });

  test('of an admin who is one no longer cannot be used', async () => {
    const [first] = [await join(table, organization, 'a', 'admin', now)];
    await join(table, organization, 'b', 'admin', now);
    const { link } = done(await invite('jo@example.org', inviting(), first));
    done(await updateMember(callerWith(admin), { id: first.id, role: 'editor' }, removing()));
    expect(await accept(link, 'p1')).toBeUndefined();
  });

  test.each([
    ['jo', 'invalid_request'],
    ['jo@reports.example', 'invalid_request'],
    ['a@example.org', 'invalid_request'],
  ])('of %s is refused: %s', async (mail, code) => {
    await join(table, organization, 'a', 'read', now);
    expect(codeOf(await invite(mail))).toBe(code);
    expect(mails).toEqual([]);
  });

  test.each([
    ['expires', { expiresAt: later(1) }],
    ['works in some networks only', { networks: ['192.0.2.0/24'] }],
  ])('cannot be made with a token that %s, nor a role be raised', async (_what, limits) => {
    const given = { name: 'limited', label: 'svc', scope: 'admin' as const, ...limits };
    const { info } = await organizationStore(table).createToken(organization, given, now);
    expect(codeOf(await invite('jo@example.org', inviting(), info))).toBe('forbidden');
    const { id } = await join(table, organization, 'a', 'write', now);
    const change = (role: 'viewer' | 'admin') => updateMember(callerWith(info), { id, role }, removing());
    expect([codeOf(await change('admin')), codeOf(await change('viewer'))]).toEqual(['forbidden', 'done']);
  });

  test('needs an identity provider', async () => {
    expect(codeOf(await invite('jo@example.org', { ...inviting(), hasProvider: false }))).toBe('forbidden');
  });

  test('works without mail, and says so', async () => {
    const refuse = async () => {
      throw new MailRefused('no such domain', true);
    };
    for (const sendMail of [undefined, refuse]) {
      const { link, isMailed } = done(await invite('jo@example.org', { ...inviting(), sendMail }));
      expect([isMailed, (await accept(link, `p-${sendMail}`))?.name]).toEqual([false, 'jo@example.org']);
      for (const { id } of await members()) await removeMember(operatorFor(organization), { id }, removing());
    }
  });

  test('can be made 30 times an hour', async () => {
    for (let n = 0; n < 30; n += 1) expect(codeOf(await invite(`p${n}@example.org`))).toBe('done');
    expect(codeOf(await invite('p30@example.org'))).toBe('rate_limited');
  });

  test('of another organization cannot be withdrawn', async () => {
    const { invitation } = done(await invite('jo@example.org'));
    const { id } = await organizationStore(table).create('Other', now);
    const outcome = await deleteInvitation(operatorFor(id), { id: invitation.id }, inviting());
    expect(codeOf(outcome)).toBe('not_found');
  });
});

describe('a member', () => {
  test('is no token in lists, and cannot be revoked as one', async () => {
    const { id, name } = await join(table, organization, 'a', 'admin', now);
    const tokens = await tokensOf(organization, { organizations: organizationStore(table) });
    expect(tokens.map((one) => one.name)).not.toContain(name);
    expect(codeOf(await deleteToken(callerWith(admin), { id }, removing()))).toBe('not_found');
    expect(await members()).toHaveLength(1);
  });

  test('of several organizations has a role in each', async () => {
    const { id } = await organizationStore(table).create('Other', now);
    await join(table, organization, 'both', 'read', now);
    await join(table, id, 'both', 'admin', now);
    const scopes = (await memberStore(table).of('both')).map((one) => [one.organization, one.scope]);
    expect(new Map(scopes as [string, string][])).toEqual(
      new Map([
        [organization, 'read'],
        [id, 'admin'],
      ]),
    );
  });

  test('has another role from the next request on', async () => {
    const member = await join(table, organization, 'a', 'read', now);
    const text = await sessionStore(table).start(member, 'Browser', now);
    done(await updateMember(callerWith(admin), { id: member.id, role: 'editor' }, removing()));
    expect((await findSession(table, text, now))?.token.scope).toBe('write');
  });

  test('who is removed has no session any more, and on request no token', async () => {
    await join(table, organization, 'b', 'admin', now);
    const member = await join(table, organization, 'a', 'admin', now);
    const text = await sessionStore(table).start(member, 'Browser', now);
    const made = done(await createToken(callerWith(member), { name: 'made', scope: 'admin' }, creating()));
    const child = done(
      await createToken(callerWith(made.info), { name: 'child', scope: 'admin' }, creating()),
    );
    const removed = await removeMember(callerWith(admin), { id: member.id }, removing());
    expect(removed).toMatchObject({
      subjects: [{ id: member.id, changes: [{ field: 'role', before: 'admin', after: null }] }],
    });
    expect(await findSession(table, text, now)).toBeUndefined();
    const memberships = await memberStore(table).of('a');
    expect(memberships.filter((one) => one.organization === organization)).toEqual([]);
    const revoked = async () =>
      (await organizationStore(table).listTokens(organization))
        .filter(({ revokedAt }) => revokedAt !== null)
        .map(({ name }) => name);
    expect(await revoked()).toEqual(['a@example.org']);
    const again = await join(table, organization, 'c', 'admin', now);
    const theirs = done(await createToken(callerWith(again), { name: 'theirs', scope: 'read' }, creating()));
    done(await removeMember(callerWith(admin), { id: again.id, created: 'revoke' }, removing()));
    expect(await revoked()).toEqual(expect.arrayContaining(['c@example.org', theirs.info.name]));
    expect(await revoked()).not.toContain(child.info.name);
  });

  test('who is removed cannot come back with an invitation of before', async () => {
    const member = await join(table, organization, 'a', 'read', now);
    const create = (mail: string) =>
      invitationStore(table).create({ organization, mail, scope: 'admin', by: null }, now);
    await create(member.name);
    const other = await create('other@example.org');
    done(await removeMember(callerWith(admin), { id: member.id }, removing()));
    const open = await invitationStore(table).list(organization, now);
    expect(open.map(({ id }) => id)).toEqual([other.invitation.id]);
  });

  test('who asks for own mails while being removed gets none', async () => {
    const member = await join(table, organization, 'a', 'read', now);
    const deps = removing();
    const mail = { address: 'a@example.org', threshold: 'info' as const, tags: [] };
    const racing = {
      async remove(...given: Parameters<typeof deps.members.remove>) {
        await deps.notifications.setMemberMail(organization, member.id, mail);
        return deps.members.remove(...given);
      },
    };
    done(await removeMember(callerWith(admin), { id: member.id }, { ...deps, members: racing }));
    expect((await deps.notifications.get(organization)).people).toEqual({});
  });

  test('can leave, and be invited again', async () => {
    const member = await join(table, organization, 'a', 'read', now);
    done(await leaveOrganization(callerWith(member), removing()));
    expect(await members()).toEqual([]);
    expect((await join(table, organization, 'a', 'write', now)).scope).toBe('write');
  });

  test('of another organization cannot be changed or removed', async () => {
    const { id } = await join(table, organization, 'a', 'read', now);
    const other = operatorFor((await organizationStore(table).create('Other', now)).id);
    expect(codeOf(await removeMember(other, { id }, removing()))).toBe('not_found');
    expect(codeOf(await updateMember(other, { id, role: 'admin' }, removing()))).toBe('not_found');
  });

  test('is not who has a token', async () => {
    expect(codeOf(await leaveOrganization(callerWith(admin), removing()))).toBe('forbidden');
  });
});

describe('the last admin', () => {
  test('cannot leave, be removed or get another role, except by the operator', async () => {
    const last = await join(table, organization, 'a', 'admin', now);
    await join(table, organization, 'b', 'write', now);
    const { id } = last;
    expect(codeOf(await leaveOrganization(callerWith(last), removing()))).toBe('last_admin');
    expect(codeOf(await removeMember(callerWith(admin), { id }, removing()))).toBe('last_admin');
    expect(codeOf(await updateMember(callerWith(admin), { id, role: 'viewer' }, removing()))).toBe(
      'last_admin',
    );
    expect(codeOf(await removeMember(operatorFor(organization), { id }, removing()))).toBe('done');
  });

  test('remains when two admins leave, or demote each other, at the same time', async () => {
    for (const end of ['leave', 'demote'] as const) {
      const [a, b] = [
        await join(table, organization, `a-${end}`, 'admin', now),
        await join(table, organization, `b-${end}`, 'admin', now),
      ];
      const outcomes = await Promise.all(
        [a, b].map((one) =>
          end === 'leave'
            ? leaveOrganization(callerWith(one), removing())
            : updateMember(callerWith(one === a ? b : a), { id: one.id, role: 'viewer' }, removing()),
        ),
      );
      expect(outcomes.map(codeOf).toSorted()).toEqual(['done', 'last_admin']);
      expect((await members()).filter(({ scope }) => scope === 'admin')).toHaveLength(1);
      for (const { id } of await members()) await removeMember(operatorFor(organization), { id }, removing());
    }
  });
});
