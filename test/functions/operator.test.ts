/** Operators: they see numbers of all organizations, create, limit and pause them, and never see what they have. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { handler as domains } from '../../functions/console/domains.ts';
import { handler as operate } from '../../functions/console-people/operate.ts';
import { handler as show } from '../../functions/console-people/show-organizations.ts';
import { handler as showSettings } from '../../functions/console-settings/show.ts';
import { handler as sweep } from '../../functions/monitoring/sweep.ts';
import type { AdminDependencies } from '../../lib/admin/command.ts';
import { readAdminArguments } from '../../lib/admin/commands.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { scheduleStore } from '../../shared/store/domains/schedule.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { memberStore } from '../../shared/store/members.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { formTokenOf, sessionStore } from '../../shared/store/sessions.ts';
import { auditOn } from '../kit/audit.ts';
import { consoleTable, follow, send } from '../kit/console.ts';
import { join } from '../kit/members.ts';
import { notificationService } from '../kit/notifications.ts';
import { registerDomain } from '../kit/reports.ts';
import { emptyTable } from '../kit/table.ts';
import { use } from '../kit/use.ts';

const now = new Date();
let operator: string;
let cookie: string;
let theirs: string;

const table = await use(consoleTable());
beforeEach(async () => {
  const organizations = organizationStore(table);
  operator = (await organizations.create('Operators', now)).id;
  theirs = (await organizations.create('Theirs <b>', now)).id;
  await registerDomain(table, theirs, 'secret.example', now);
  const member = await join(table, operator, `operator-${operator}`, 'read', now);
  await memberStore(table).setOperator(member, true);
  cookie = await sessionStore(table).start(member, 'Browser', now);
});

const form = (fields: Readonly<Record<string, string>>) =>
  send(operate, { cookie, form: { formToken: formTokenOf(cookie), ...fields } });
const pages = async () => {
  let all = '';
  for (let page = 1; page < 9; page += 1) all += (await send(show, { cookie, query: `page=${page}` })).body;
  return all;
};

describe('an operator', () => {
  test('sees numbers of all organizations, and not what they have', async () => {
    const body = await pages();
    expect(body).toContain('Theirs &lt;b&gt;');
    expect(body).toContain(theirs);
    expect(body).not.toContain('secret.example');
    expect((await send(domains, { cookie })).body).not.toContain('secret.example');
    expect((await send(showSettings, { cookie })).body).toContain('href="/console/operator"');
  });

  test('creates, limits and pauses, in the log of the organization', async () => {
    const created = await form({ do: 'create', name: 'New one' });
    expect((await follow(show, created, { cookie })).body).toContain('It is done.');
    expect((await organizationStore(table).list()).map(({ name }) => name)).toContain('New one');
    await form({ do: 'limit', id: theirs, domains: '7' });
    await form({ do: 'pause', id: theirs });
    expect(await organizationStore(table).get(theirs)).toMatchObject({
      domainLimit: 7,
      pausedAt: expect.any(String),
    });
    await form({ do: 'resume', id: theirs });
    await form({ do: 'limit', id: theirs, domains: '' });
    expect(await organizationStore(table).get(theirs)).toMatchObject({ domainLimit: null, pausedAt: null });
    const { entries } = await auditStore(table).list(theirs, {}, { page: 1, limit: 9 }, new Date());
    expect(entries.map(({ action, actor, changes }) => [action, actor, changes[0]?.after])).toEqual([
      ['limitOrganization', `operator-${operator}@example.org`, null],
      ['pauseOrganization', `operator-${operator}@example.org`, 'false'],
      ['pauseOrganization', `operator-${operator}@example.org`, 'true'],
      ['limitOrganization', `operator-${operator}@example.org`, '7'],
    ]);
  });

  test.each([
    [{ do: 'limit', id: 'unknown', domains: '7' }, 'does not exist'],
    [{ do: 'create', name: '' }, 'must not be empty'],
    [{ do: 'limit', domains: '-1' }, 'must be a number'],
  ])('is told why %j does nothing', async (fields, message) => {
    const answer = await form({ id: theirs, ...fields });
    expect((await follow(show, answer, { cookie })).body).toContain(message);
  });

  test('is one no longer after the membership that made them one, also when they come back', async () => {
    const person = `gone-${operator}`;
    const member = await join(table, operator, person, 'read', now);
    const elsewhere = await join(table, theirs, person, 'admin', now);
    await memberStore(table).setOperator(member, true);
    const other = await sessionStore(table).start(elsewhere, 'Browser', now);
    expect((await send(show, { cookie: other })).statusCode).toBe(200);
    await memberStore(table).remove(member, undefined, now);
    expect((await send(show, { cookie: other })).statusCode).toBe(403);
    await join(table, operator, person, 'read', now);
    expect((await send(show, { cookie: other })).statusCode).toBe(403);
  });

  test('needs a sign-in of the last ten minutes', async () => {
    const member = await join(table, operator, `late-${operator}`, 'admin', now);
    await memberStore(table).setOperator(member, true);
    const late = await sessionStore(table).start(member, 'Browser', new Date(now.getTime() - 1_200_000));
    const fields = { formToken: formTokenOf(late), do: 'pause', id: theirs };
    const answer = await send(operate, { cookie: late, form: fields });
    expect(answer.headers?.location).toContain('failed=proof');
    expect((await organizationStore(table).get(theirs))?.pausedAt).toBeNull();
  });
});

describe('the commands', () => {
  const run = async (...args: string[]) => {
    const { found } = readAdminArguments(args);
    if (found.kind === 'folder') throw new Error('the command is about files');
    return found.run({
      ...{ table, organizations: organizationStore(table), mailboxes: fetchedMailboxStore(table) },
      ...{ members: memberStore(table), clock: { now: () => now }, ...auditOn(table) },
    } as unknown as AdminDependencies);
  };

  test('show the same numbers, pause, and name operators', async () => {
    const line = async () => (await run('org', 'status')).find((one) => one.startsWith(theirs));
    expect(await line()).toContain('Theirs <b>; domains 1 of default; messages 0, last reported never');
    expect(await run('org', 'pause', theirs)).toEqual([`${theirs} is paused`]);
    expect(await line()).toContain('paused since');
    expect(await run('org', 'resume', theirs)).toEqual([`${theirs} goes on`]);
    expect((await run('org', 'status', '--json')).join('')).toContain(`"id": "${theirs}"`);
    const member = await join(table, theirs, `named-${theirs}`, 'admin', now);
    await run('operator', 'add', theirs, member.name);
    const listed = `${theirs}  ${member.name}  ${member.member.person}`;
    expect(await run('operator', 'list')).toContain(listed);
    await run('operator', 'add', theirs, member.name);
    await run('operator', 'remove', member.name);
    expect(await run('operator', 'list')).not.toContain(listed);
    await expect(run('operator', 'remove', member.name)).rejects.toThrow('is no operator');
    const { entries } = await auditStore(table).list(theirs, {}, { page: 1, limit: 2 }, new Date());
    expect(entries.map(({ action, subject, changes }) => [action, subject, changes])).toEqual(
      [false, true].map((is) => [
        'setOperator',
        member.id,
        [{ field: 'operator', before: String(!is), after: String(is) }],
      ]),
    );
    await expect(run('operator', 'add', theirs, 'nobody@example.org')).rejects.toThrow('has no member');
  });
});

test('a paused organization is neither checked nor sent anything, until it goes on', async () => {
  const own = await emptyTable({ now: () => now });
  const service = await notificationService(own, now);
  const organizations = organizationStore(own);
  await service.settings.setMail(service.organization, {
    ...{ address: 'ops@example.org', threshold: 'info', digestMinute: null },
  });
  const domain = await service.register('example.org');
  await domainStore(own).markVerified(domain, new Date(now.getTime() - 86_400_000));
  const checked: unknown[] = [];
  const sweepOnce = () =>
    sweep.with({
      ...{ schedule: scheduleStore(own), organizations, clock: service.clock, intervalSeconds: 60 },
      record: () => undefined,
      queue: {
        ...{ send: async () => undefined, size: async () => 0 },
        async sendBatch(messages) {
          checked.push(...messages);
          return messages;
        },
      },
    })({}, { getRemainingTimeInMillis: () => 60_000 } as never);
  await organizations.setPaused(service.organization, now);
  await service.raise(domain, 'critical');
  await service.turn();
  await sweepOnce();
  expect([service.mails, checked]).toEqual([[], []]);
  await organizations.setPaused(service.organization, null);
  service.pass(3_600_000);
  await service.raise(domain, 'critical');
  await service.turn();
  await sweepOnce();
  expect(service.mails).toHaveLength(1);
  expect(checked).toMatchObject([{ id: domain.id }]);
  await own.stop();
});
