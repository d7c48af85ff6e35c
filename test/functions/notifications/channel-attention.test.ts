/** The attention item of a channel whose deliveries are given up, through the handlers that deliver. */
import { beforeEach, expect, test } from '@jest/globals';
import { MailRefused } from '../../../shared/notify/mail.ts';
import { RETRY_SECONDS } from '../../../shared/notify/retry.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import type { Table } from '../../../shared/store/table.ts';
import { itemEvents } from '../../kit/attention.ts';
import { dyingAt } from '../../kit/dying-table.ts';
import { type NotificationService, notificationService } from '../../kit/notifications.ts';
import type { EmptyTable } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
const mail = { address: 'ops@example.org', threshold: 'critical', digestMinute: null } as const;
const webhook = {
  url: 'https://hook.example/in',
  secret: 'whsec_x',
  threshold: 'info',
  format: 'json',
  events: ['attention.opened', 'attention.closed'],
} as const;

let table: EmptyTable;
let service: NotificationService;
let domain: Domain;

process.env.LOG_LEVEL = 'silent';
beforeEach(async () => {
  table = await useTable({ now: () => start });
  service = await notificationService(table, start);
  domain = await service.register('example.org');
});

async function open() {
  const { organization, clock } = service;
  const { items } = await attentionStore(table).list(organization, {}, { page: 1, limit: 9 }, clock.now());
  return items.map(({ kind, channel, domain, about }) => [kind, channel, domain, about.reason]);
}
const FAILING = [['channel-failing', 'webhook', null, 'the webhook returned 500']];
const events = () => itemEvents(table, { organization: service.organization });

/** The message of a delivery whose last attempt is due. */
async function almostGivenUp() {
  await service.raise(domain, 'critical');
  await service.gather();
  const message = service.waiting.at(-1);
  if (message === undefined) throw new Error('there is no message');
  for (const seconds of RETRY_SECONDS) {
    expect(await service.receive(message)).toBe(false);
    service.pass(seconds * 1000);
  }
  return message;
}

const giveUp = async () => service.receive(await almostGivenUp());

test('opens when a delivery is given up, and not before, and closes when one arrives', async () => {
  await service.settings.setWebhook(service.organization, webhook);
  service.behaviour.webhook = 500;
  const message = await almostGivenUp();
  expect(await open()).toEqual([]);
  expect(await service.receive(message)).toBe(false);
  expect(await open()).toEqual(FAILING);
  service.waiting.splice(0);
  await giveUp();
  expect(await open()).toEqual(FAILING);
  service.behaviour.webhook = 200;
  await service.raise(domain, 'critical');
  await service.turn();
  expect([await open(), await events()]).toEqual([[], []]);
});

test('closes when the webhook is turned off because it answers 410', async () => {
  await service.settings.setWebhook(service.organization, webhook);
  service.behaviour.webhook = 500;
  await giveUp();
  expect(await open()).toEqual(FAILING);
  service.behaviour.webhook = 410;
  await service.raise(domain, 'critical');
  await service.turn();
  expect([await open(), (await service.settings.get(service.organization)).webhook]).toEqual([[], null]);
});

test('says that mail fails, and its events go to the webhook', async () => {
  const { organization, settings, behaviour } = service;
  await settings.setMail(organization, mail);
  behaviour.mail = async () => Promise.reject(new Error('refused'));
  const message = await almostGivenUp();
  await settings.setWebhook(organization, { ...webhook, threshold: 'critical' });
  await service.receive(message);
  expect(await open()).toEqual([['channel-failing', 'mail', null, 'sending the mail failed: Error']]);
  service.waiting.splice(0);
  await service.turn();
  expect(service.posts.map(({ body }) => JSON.parse(body))).toMatchObject([
    {
      alerts: [],
      events: [
        {
          ...{ type: 'attention.opened', kind: 'channel-failing', severity: 'warning' },
          ...{ attentionId: 'mail.channel-failing', domainId: null, domainName: null },
          title: 'Notifications by mail do not arrive',
          detail: expect.stringContaining('sending the mail failed: Error'),
        },
      ],
    },
  ]);
});

test('opens at once when a mail is refused for good, with the reason', async () => {
  const { organization, settings, behaviour } = service;
  await settings.setMail(organization, mail);
  behaviour.mail = async () => Promise.reject(new MailRefused('550 5.1.1 No such user\u001b[31m', true));
  await service.raise(domain, 'critical');
  await service.turn();
  const reason = 'sending the mail failed: 550 5.1.1 No such user\\u{1b}[31m';
  expect(await open()).toEqual([['channel-failing', 'mail', null, reason]]);
  expect(service.records).toMatchObject([{ result: 'given-up', reason }]);
});

test.each([1, 2, 3, 4])('opens and closes once if a worker dies at its write %i', async (write) => {
  const { organization, settings, behaviour } = service;
  await settings.setMail(organization, mail);
  behaviour.mail = async () => Promise.reject(new Error('refused'));
  const message = await almostGivenUp();
  await settings.setWebhook(organization, { ...webhook, threshold: 'critical' });
  /** Each death ends a lease; the message is received again after it. */
  const receive = async (on: Table = table) => {
    await service.receive(message, on).catch(() => undefined);
    service.pass(60_000);
  };
  for (const when of ['before', 'after'] as const) await receive(dyingAt(table, write, when));
  await receive();
  await receive();
  expect([(await open()).length, await events()]).toEqual([1, ['attention.opened channel-failing']]);

  // It is sent again from the dead-letter queue, and arrives.
  behaviour.mail = async () => undefined;
  Object.assign(message, { receives: 0, sentAt: service.clock.now().getTime() });
  for (const when of ['before', 'after'] as const) await receive(dyingAt(table, write, when));
  await receive();
  expect([await open(), await events()]).toEqual([
    [],
    ['attention.closed channel-failing', 'attention.opened channel-failing'],
  ]);
});
