import { expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../lib/admin/command.ts';
import { CommandError } from '../../../lib/terminal/command-line.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { auditStore } from '../../../shared/store/audit.ts';
import { invitationStore } from '../../../shared/store/invitations.ts';
import { memberStore } from '../../../shared/store/members.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import { adminCommand } from '../../kit/admin.ts';
import { auditOn } from '../../kit/audit.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date();
const table = await useTable();
const organization = (await organizationStore(table).create('Org', now)).id;

const run = (...args: string[]): Promise<string[]> =>
  adminCommand(['member', ...args])({
    ...{ table, organizations: organizationStore(table), rates: rateStore(table), ...auditOn(table) },
    ...{ members: memberStore(table), notifications: notificationSettingsStore(table) },
    ...{ clock: { now: () => now }, ownDomains: () => [], hostUrl: () => 'https://monitor.example' },
  } as unknown as AdminDependencies);

test('the operator invites people, changes their roles, and removes also the last admin', async () => {
  const [link = ''] = await run('invite', organization, 'Jo@example.org', '--role', 'admin');
  const text = new URL(link).searchParams.get('link') ?? '';
  const invitation = await invitationStore(table).find(text, now);
  if (invitation === undefined) throw new Error('the link is of no invitation');
  await memberStore(table).join(invitation, 'jo', now);
  expect(await run('list', organization)).toEqual(['jo@example.org  admin  not used yet']);
  expect((await run('list', organization, '--json')).join('')).toContain('"mail": "jo@example.org"');
  await expect(run('role', organization, 'jo@example.org', 'editor')).rejects.toThrow('last admin');
  expect(await run('remove', organization, 'jo@example.org')).toEqual(['removed jo@example.org']);
  expect(await run('list', organization)).toEqual([]);
  const { entries } = await auditStore(table).list(organization, {}, { page: 1, limit: 9 }, now);
  expect(entries.map(({ action, token }) => [action, token])).toEqual([
    ['removeMember', null],
    ['createInvitation', null],
  ]);
});

test.each([
  [['role', 'jo@example.org', 'owner'], 'role: must be one of viewer, editor, admin'],
  [['remove', 'nobody@example.org'], 'has no member nobody@example.org'],
  [['invite', 'nobody'], 'it is not a valid email address'],
])('%j is refused', async ([command = '', ...args], message) => {
  const attempt = () => run(command, organization, ...args);
  await expect(attempt()).rejects.toThrow(CommandError);
  await expect(attempt()).rejects.toThrow(message);
});
