/** Notices of new tokens: to webhooks that subscribed, and by mail, if a token can do everything. */
import { beforeEach, expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../../lib/admin/command.ts';
import type { EventName } from '../../../../shared/alerts/event.ts';
import { event } from '../../../../shared/alerts/event.ts';
import { alertMail } from '../../../../shared/notify/mail.ts';
import { createToken } from '../../../../shared/operations/tokens/create-token.ts';
import { pendingNotificationStore } from '../../../../shared/store/alerts/pending.ts';
import type { Scope, TokenInfo } from '../../../../shared/store/api-tokens.ts';
import { notificationShardOf } from '../../../../shared/store/keys.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { sessionStore } from '../../../../shared/store/sessions.ts';
import { adminCommand } from '../../../kit/admin.ts';
import { madeDelivery } from '../../../kit/alerts.ts';
import { auditOn } from '../../../kit/audit.ts';
import { type NotificationService, notificationService } from '../../../kit/notifications.ts';
import { callerWith, done } from '../../../kit/operations.ts';
import type { EmptyTable } from '../../../kit/table.ts';
import { useTable } from '../../../kit/use-table.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
const mail = { address: 'ops@example.org', threshold: 'critical', digestMinute: null } as const;
const webhook = { url: 'https://hook.example/in', secret: 'whsec_x', threshold: 'info' } as const;

let table: EmptyTable;
let service: NotificationService;
let own: TokenInfo;

process.env.LOG_LEVEL = 'silent';
beforeEach(async () => {
  table = await useTable({ now: () => start });
  service = await notificationService(table, start);
  const given = { name: 'first', label: 'svc' };
  own = (await organizationStore(table).createToken(service.organization, given, start)).info;
});

const dependencies = () => ({
  organizations: organizationStore(table),
  notifications: service.settings,
  clock: service.clock,
});
const create = async (scope: Scope, name = 'new') =>
  done(await createToken(callerWith(own), { name, scope }, { ...dependencies(), label: 'svc' })).info;
const subscribe = (...events: EventName[]) =>
  service.settings.setWebhook(service.organization, { ...webhook, events });
const posted = () => service.posts.flatMap(({ body }) => JSON.parse(body).events ?? []);

test('of an admin token go out by mail and to the webhook, with who created it and how to revoke it', async () => {
  await service.settings.setMail(service.organization, mail);
  await subscribe('token.created');
  const { id } = await create('admin');
  await service.turn();
  const [sent] = service.mails;
  expect(service.mails).toHaveLength(1);
  expect(sent?.subject).toBe('New API token with the scope admin: new');
  for (const body of [sent?.text, sent?.html]) {
    expect(body).toContain(`It was created with the token first (${own.id}).`);
    expect(body).toContain('1 Mar 2026, 10:00 UTC');
    expect(body).toContain(`DELETE https://monitor.acme.org/api/v1/tokens/${id}?created=revoke`);
    expect(body).toContain('https://monitor.acme.org/console/settings#tokens');
  }
  const [sentEvent] = posted();
  expect(event.parse(sentEvent)).toEqual(sentEvent);
  expect(sentEvent).toMatchObject({
    ...{ type: 'token.created', createdAt: start.toISOString(), tokenId: id, tokenName: 'new' },
    ...{ scope: 'admin', createdBy: { id: own.id, name: 'first' } },
  });
  service.pass(3_600_000);
  await service.turn();
  expect([service.mails.length, posted().length]).toEqual([1, 1]);
});

test.each(['read', 'write'] as const)(
  'of a token with the scope %s go to the webhook only',
  async (scope) => {
    await service.settings.setMail(service.organization, mail);
    await subscribe('token.created');
    await create(scope);
    await service.turn();
    expect([service.mails, posted().length]).toEqual([[], 1]);
  },
);

test('are not stored where no channel wants them', async () => {
  await subscribe('report.received');
  await create('admin');
  const shard = notificationShardOf(service.organization);
  expect(await pendingNotificationStore(table).due('alerts', shard, { now: start, limit: 9 })).toEqual([]);
});

test('of tokens of operators go out, too, and of those for sign-in links', async () => {
  await service.settings.setMail(service.organization, mail);
  const deps = {
    ...{
      ...dependencies(),
      sessions: sessionStore(table),
      setting: (key: string) => ({ SERVICE_LABEL: 'svc' })[key],
    },
    hostUrl: () => 'https://monitor.acme.org',
    ...auditOn(table),
  } as unknown as AdminDependencies;
  await adminCommand(['token', 'create', service.organization, '--name', 'theirs'])(deps);
  service.pass(1);
  await adminCommand(['console', service.organization])(deps);
  await service.turn();
  const [sent] = service.mails;
  expect(sent?.subject).toContain('New API token with the scope admin: theirs (and 1 more)');
  expect(sent?.text).toContain('console link');
  expect(sent?.text).toContain('An operator of the service created it.');
});

test('show names of tokens that cannot mislead', async () => {
  const sent = await alertMail(
    madeDelivery({
      alerts: [],
      events: [
        {
          ...{ type: 'token.created', id: own.id, createdAt: start.toISOString(), tokenId: own.id },
          ...{ tokenName: '<b>x</b>\r\nBcc: a@b\u202e', scope: 'admin', createdBy: null },
        },
      ],
    }),
    [],
    { to: 'ops@example.org', hostUrl: 'https://monitor.acme.org' },
  );
  expect(sent.subject).not.toMatch(/[\r\n\u202e]/);
  expect(sent.html).not.toContain('<b>x');
});
