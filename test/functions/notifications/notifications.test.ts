import { beforeEach, describe, expect, test } from '@jest/globals';
import { triggers } from '../../../functions/triggers.ts';
import type { EventDraft } from '../../../shared/alerts/event.ts';
import { LEASE_SECONDS } from '../../../shared/notify/deliver.ts';
import { MAX_INTERRUPTIONS } from '../../../shared/notify/retry.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { eventWrites } from '../../../shared/store/alerts/pending.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { Crash, dyingAt } from '../../kit/dying-table.ts';
import { type NotificationService, notificationService } from '../../kit/notifications.ts';
import { itemsOf } from '../../kit/reports.ts';
import { type EmptyTable, sendingThrough } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const mail = { address: 'ops@example.org', threshold: 'warning', digestMinute: 6 * 60 } as const;
const webhook = {
  url: 'https://hook.example/in',
  secret: 'whsec_x',
  threshold: 'info',
  format: 'json',
  events: [],
} as const;

let table: EmptyTable;
let service: NotificationService;
let domain: Domain;

process.env.LOG_LEVEL = 'silent';
// Each test has its own table, because due notifications are found across organizations.
beforeEach(async () => {
  table = await useTable({ now: () => start });
  service = await notificationService(table, start);
  domain = await service.register('example.org');
});

/** Switches mail and the webhook on. */
async function setBoth(): Promise<void> {
  await service.settings.setMail(service.organization, mail);
  await service.settings.setWebhook(service.organization, webhook);
}

const pendingOf = async (of: Domain) =>
  (await itemsOf(table, of)).filter(({ sk }) => String(sk).startsWith('PENDING#'));

describe('an organization without notifications', () => {
  test('gets no notification, and nothing is written for it', async () => {
    await service.raise(domain, 'critical');
    expect(await pendingOf(domain)).toEqual([]);
    await service.turn();
    expect([service.mails, service.posts, service.waiting]).toEqual([[], [], []]);
  });
});

describe('alerts', () => {
  test('are sent together, through each channel whose threshold they reach', async () => {
    await setBoth();
    for (const severity of ['info', 'warning', 'critical'] as const) {
      await service.raise(domain, severity);
      service.pass(1);
    }
    await service.turn();
    expect(service.told.mails()).toEqual([['alert 3', 'alert 2']]);
    expect(service.told.posts()).toEqual([['alert 1', 'alert 2', 'alert 3']]);
    expect(service.mails[0]?.to).toBe('ops@example.org');
    expect(service.waiting).toEqual([]);
    expect(service.records).toMatchObject([
      { name: 'notification', channel: 'webhook', result: 'delivered', organization: service.organization },
      { name: 'notification', channel: 'mail', result: 'delivered', organization: service.organization },
    ]);
  });

  test('are sent separately for each organization', async () => {
    const other = await notificationService(table, start);
    const theirs = await other.register('example.net');
    await service.settings.setMail(service.organization, mail);
    await other.settings.setMail(other.organization, { ...mail, address: 'other@example.net' });
    await service.raise(domain, 'warning');
    await other.raise(theirs, 'warning');
    await service.turn();
    expect(service.mails.map(({ to }) => to).toSorted()).toEqual(['ops@example.org', 'other@example.net']);
  });

  test('of a removed domain are not sent', async () => {
    await setBoth();
    await service.raise(domain, 'critical');
    await service.gather();
    await service.raise(domain, 'critical');
    await domainStore(table).remove(domain, service.clock.now());
    await deletionStore(table).drain(domain.id, () => 60_000);
    await service.work();
    await service.turn();
    expect([service.mails, service.posts, service.waiting]).toEqual([[], [], []]);
    expect(service.records.map(({ result }) => result)).toEqual(['dropped', 'dropped']);
  });

  test('are not sent through a channel that was removed in the meantime', async () => {
    await setBoth();
    await service.raise(domain, 'critical');
    await service.raise(domain, 'info');
    await service.settings.setWebhook(service.organization, null);
    await service.gather();
    await service.settings.setMail(service.organization, null);
    await service.work();
    service.pass(24 * HOUR);
    await service.turn();
    expect([service.mails, service.posts, await pendingOf(domain)]).toEqual([[], [], []]);
  });
});

describe('mails in quick succession', () => {
  test('wait for the end of the pause, and are sent as one', async () => {
    await service.settings.setMail(service.organization, mail);
    for (let minute = 0; minute < 12; minute += 1) {
      await service.raise(domain, 'warning');
      await service.turn();
      service.pass(MINUTE);
    }
    expect(service.told.mails().map((titles) => titles.length)).toEqual([1, 5]);
    service.pass(4 * MINUTE);
    await service.turn();
    expect(service.told.mails().flat()).toHaveLength(12);
    expect(new Set(service.told.mails().flat()).size).toBe(12);
  });
});

describe('the digest', () => {
  const morning = (days: number) => Date.parse('2026-03-01T06:00:00Z') + days * 24 * HOUR;
  const goTo = (time: number) => service.pass(time - service.clock.now().getTime());

  /** Sets mail up, and runs the schedule once, which plans the digest. */
  async function setMail(settings: Parameters<typeof service.settings.setMail>[1]): Promise<void> {
    await service.settings.setMail(service.organization, settings);
    await service.gather();
  }

  test('contains the alerts since the last one, and is sent every day, even if there are none', async () => {
    await setMail(mail);
    await service.raise(domain, 'info');
    service.pass(HOUR);
    await service.raise(domain, 'info');
    await service.turn();
    goTo(morning(1) - 1);
    await service.turn();
    expect(service.mails).toEqual([]);
    goTo(morning(1));
    await service.turn();
    await service.turn();
    expect(service.told.mails()).toEqual([['alert 2', 'alert 1']]);
    goTo(morning(2));
    await service.turn();
    expect(service.told.mails()).toEqual([['alert 2', 'alert 1'], []]);
    expect(service.mails.map(({ subject }) => subject)).toEqual(Array(2).fill('Daily digest: all is well'));
    expect(service.mails[1]?.text).toMatch(/^All is well: nothing needs you, and nothing changed\.\n/);
    expect(service.waiting).toEqual([]);
  });

  test('shows each alert in one of two that follow each other, whenever it is stored', async () => {
    await setMail(mail);
    goTo(morning(1) - 1);
    await service.raise(domain, 'info');
    await service.raise(domain, 'info');
    goTo(morning(1));
    await service.turn();
    await service.raise(domain, 'info');
    await service.turn();
    expect(service.mails).toHaveLength(1);
    goTo(morning(2));
    await service.turn();
    expect(service.told.mails().flat().toSorted()).toEqual(['alert 1', 'alert 2', 'alert 3']);
  });

  test('is one mail after an outage of several days', async () => {
    await setMail(mail);
    for (let day = 1; day <= 3; day += 1) {
      goTo(morning(day) + HOUR);
      await service.raise(domain, 'info');
    }
    goTo(morning(6) + HOUR);
    await service.turn();
    expect(service.told.mails()).toEqual([['alert 3', 'alert 2', 'alert 1']]);
    goTo(morning(7) - 1);
    await service.turn();
    expect(service.mails).toHaveLength(1);
  });

  test('does not wait for the pause between other mails, and names what they were about', async () => {
    await setMail(mail);
    await service.raise(domain, 'info');
    goTo(morning(1) - 10 * MINUTE);
    await service.raise(domain, 'warning');
    await service.turn();
    goTo(morning(1));
    await service.turn();
    expect(service.told.mails()).toEqual([['alert 2'], ['alert 2', 'alert 1']]);
  });

  test('moves when the settings change, and stays once a day', async () => {
    await setMail(mail);
    await setMail({ ...mail, digestMinute: 9 * 60 });
    goTo(morning(1));
    await service.turn();
    expect(service.mails).toEqual([]);
    goTo(morning(1) + 3 * HOUR);
    await service.turn();
    expect(service.mails).toHaveLength(1);
    await setMail({ ...mail, digestMinute: 8 * 60 });
    goTo(morning(2) + 2 * HOUR - 1);
    await service.turn();
    expect(service.mails).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)(
    'is sent once, wherever a run that makes it crashes (%s a write), and whatever runs at the same time',
    async (when) => {
      await setMail(mail);
      await service.raise(domain, 'info');
      for (let day = 1, hasDied = true; hasDied; day += 1) {
        goTo(morning(day));
        const dying = dyingAt(table, day, when);
        await Promise.allSettled([service.gather(dying)]);
        hasDied = dying.died();
        await Promise.all([service.gather(), service.gather()]);
        await service.work();
        // What was not queued before the crash is queued a minute later.
        service.pass(2 * MINUTE);
        await service.turn();
        expect(service.mails).toHaveLength(day);
      }
      expect(service.mails.length).toBeGreaterThan(1);
      expect(service.told.mails().flat()).toEqual(['alert 1']);
    },
  );
});

describe('a webhook', () => {
  beforeEach(async () => {
    await service.settings.setWebhook(service.organization, webhook);
    await service.raise(domain, 'warning');
  });

  test.each([100, 302, 400, 404, 429, 500, 503, 'timeout'] as const)(
    'is retried after %s with growing pauses, up to seven times',
    async (answer) => {
      service.behaviour.webhook = answer;
      await service.gather();
      const [message] = service.waiting;
      const pauses: number[] = [];
      for (let attempt = 1; attempt <= 7; attempt += 1) {
        await service.work();
        const pause = (message?.visibleAt ?? 0) - service.clock.now().getTime();
        pauses.push(pause / MINUTE);
        service.pass(pause);
      }
      expect(pauses).toEqual([1, 5, 30, 120, 360, 720, 0]);
      expect(service.records.map(({ result }) => result)).toEqual([...Array(6).fill('failed'), 'given-up']);
      const sent = service.posts.map(({ headers, body }) => [headers['X-Domain-Monitor-Delivery'], body]);
      expect(new Set(sent.map(String)).size).toBe(1);

      // A message that is sent again from the dead-letter queue starts with a receive count of zero.
      service.behaviour.webhook = 200;
      service.pass(24 * HOUR);
      if (message !== undefined)
        Object.assign(message, { receives: 0, sentAt: service.clock.now().getTime() });
      await service.work();
      expect(service.records.at(-1)).toMatchObject({ result: 'delivered' });
    },
  );
});

test('a worker holds a delivery for longer than it can take', () => {
  expect(LEASE_SECONDS).toBeGreaterThan(triggers.deliverNotification.timeoutSeconds);
});

describe('each alert is delivered once', () => {
  beforeEach(async () => {
    await setBoth();
  });

  test('if a message arrives twice, at once or later', async () => {
    await service.raise(domain, 'critical');
    await service.gather();
    const messages = service.waiting.flatMap((message) => [message, { ...message }, { ...message }]);
    await Promise.all(messages.map((message) => service.receive(message)));
    service.pass(HOUR);
    for (const message of messages) expect(await service.receive(message)).toBe(true);
    expect([service.mails.length, service.posts.length]).toEqual([1, 1]);
  });

  test('if turns run at the same time', async () => {
    for (let n = 0; n < 60; n += 1) await service.raise(domain, 'warning');
    await Promise.allSettled([service.gather(), service.gather(), service.gather()]);
    for (let minute = 0; minute < 30; minute += 1) {
      await service.turn();
      service.pass(MINUTE);
    }
    expect(service.told.posts().flat().toSorted()).toEqual(
      Array.from({ length: 60 }, (_, n) => `alert ${n + 1}`).toSorted(),
    );
    const counted = service.mails.map(({ subject }) => Number(/and (\d+) more/.exec(subject)?.[1] ?? 0) + 1);
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(60);
  });

  describe.each(['before', 'after'] as const)('if a process crashes %s a write', (when) => {
    test('while raising: the alert and its notifications are both stored, or neither', async () => {
      const dying = dyingAt(table, 1, when);
      await expect(service.raise(domain, 'critical', dying)).rejects.toThrow(Crash);
      await service.turn();
      const { alerts } = await service.alerts.list(
        service.organization,
        { unreadOnly: false },
        { page: 1, limit: 9 },
        service.clock.now(),
      );
      expect([alerts.length, service.mails.length, service.posts.length]).toEqual(
        when === 'before' ? [0, 0, 0] : [1, 1, 1],
      );
    });

    test('while gathering: each alert is sent once through each channel, without a long delay', async () => {
      let deaths = 0;
      // In the short form before odd writes, and after even ones.
      for (let n = 1; ; n += 1) {
        table = await useTable({ now: () => start });
        service = await notificationService(table, start);
        domain = await service.register('example.org');
        await setBoth();
        await Promise.all(Array.from({ length: 80 }, () => service.raise(domain, 'warning')));
        const dying = dyingAt(table, n, when);
        await service.gather(dying).catch(() => undefined);
        for (let minute = 0; minute < 25; minute += 1) {
          await service.turn();
          service.pass(MINUTE);
        }
        const titles = service.told.posts().flat();
        expect([titles.length, new Set(titles).size]).toEqual([80, 80]);
        const counted = service.mails.map(
          ({ subject }) => Number(/and (\d+) more/.exec(subject)?.[1] ?? 0) + 1,
        );
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(80);
        if (!dying.died()) break;
        deaths += 1;
      }
      // Two deliveries to the webhook, one mail, and a count into it.
      expect(deaths).toBeGreaterThanOrEqual(4);
    });

    test('while delivering: the alert is sent, and twice only if the first attempt was not recorded', async () => {
      for (let n = 1; n <= 2; n += 1) {
        service = await notificationService(table, start);
        domain = await service.register('example.org');
        await service.settings.setWebhook(service.organization, webhook);
        await service.raise(domain, 'critical');
        await service.gather();
        const [message] = service.waiting;
        if (message === undefined) throw new Error('nothing was gathered');
        expect(await service.receive(message, dyingAt(table, n, when))).toBe(false);
        service.pass(3 * MINUTE);
        expect(await service.receive(message)).toBe(true);
        // The second write marks the delivery as done; the webhook has accepted it before.
        expect(service.posts).toHaveLength(n === 2 && when === 'before' ? 2 : 1);
        expect(new Set(service.posts.map(({ headers }) => headers['X-Domain-Monitor-Delivery'])).size).toBe(
          1,
        );
      }
    });
  });

  describe('if workers crash during a delivery', () => {
    /**
     * Simulates workers that crash as soon as they have claimed the delivery, and whose messages become dead letters.
     */
    async function interrupted(times: number): Promise<void> {
      for (let n = 0; n < times; n += 1) {
        await service.gather();
        const [message] = service.waiting.splice(0);
        if (message === undefined) throw new Error('no message was sent');
        expect(await service.receive(message, dyingAt(table, 1, 'after'))).toBe(false);
        service.pass(MINUTE);
      }
    }
    const delivered = () => service.records.filter(({ result }) => result === 'delivered');

    beforeEach(async () => {
      await service.settings.setMail(service.organization, null);
      await service.raise(domain, 'critical');
    });

    test('it is found again and delivered, up to the maximum number of interruptions', async () => {
      await interrupted(MAX_INTERRUPTIONS);
      await service.turn();
      expect([delivered().length, service.posts.length]).toEqual([1, 1]);
      service.pass(HOUR);
      await service.turn();
      expect([service.posts.length, service.waiting]).toEqual([1, []]);
    });

    test('beyond that, it is given up, and delivered when its dead letter is sent again', async () => {
      await interrupted(MAX_INTERRUPTIONS + 1);
      await service.turn();
      expect(service.records).toMatchObject([
        { result: 'given-up', reason: expect.stringMatching(/^101 attempts/) },
      ]);
      service.pass(HOUR);
      await service.gather();
      // No further message is sent, and the existing one becomes a dead letter.
      const [message, ...others] = service.waiting;
      if (message === undefined) throw new Error('there is no message');
      expect([await service.receive(message), others, service.posts]).toEqual([false, [], []]);

      Object.assign(message, { receives: 0, sentAt: service.clock.now().getTime() });
      await service.work();
      expect([delivered().length, service.posts.length, service.waiting]).toEqual([1, 1, []]);
    });

    test('the number of attempts stays the same, and none starts early', async () => {
      service.behaviour.webhook = 500;
      const attempts: number[] = [];
      for (let minute = 0; minute < 3 * 24 * 60; ) {
        const before = service.posts.length;
        await service.turn();
        if (service.posts.length > before) {
          attempts.push(minute);
          // Every other message is lost.
          if (attempts.length % 2 === 0) service.waiting.splice(0);
        }
        const step = minute < 40 ? 1 : 20;
        service.pass(step * MINUTE);
        minute += step;
      }
      // The replacement for a lost message comes a minute later; later turns are 20 minutes apart here.
      expect(attempts).toEqual([0, 1, 7, 37, 160, 520, 1260]);
      expect(service.records.at(-1)).toMatchObject({ result: 'given-up' });
    });
  });

  test('if a message is never sent: a later turn sends it', async () => {
    await service.raise(domain, 'critical');
    await service.gather();
    service.waiting.splice(0);
    await service.turn();
    expect(service.mails).toEqual([]);
    service.pass(10 * MINUTE);
    await service.turn();
    expect([service.mails.length, service.posts.length]).toEqual([1, 1]);
  });
});

test('an organization whose alerts cannot be gathered does not block others', async () => {
  const other = await notificationService(table, start);
  const theirs = await other.register('example.net');
  await service.settings.setMail(service.organization, mail);
  await other.settings.setMail(other.organization, mail);
  await service.raise(domain, 'warning');
  await other.raise(theirs, 'warning');
  const send = async (command: { input?: { Key?: { pk?: string; sk?: string } } }) => {
    const { pk, sk } = command.input?.Key ?? {};
    if (pk === `ORG#${service.organization}` && sk === 'NOTIFICATION') throw new Error('broken');
    return table.client.send(command as never);
  };
  await expect(service.gather(sendingThrough(table, send))).rejects.toThrow(
    'some notifications could not be queued for delivery',
  );
  await service.work();
  expect(service.mails).toHaveLength(1);
});

describe('events', () => {
  const happened = async (draft: EventDraft = { type: 'domain.verified' }) => {
    const settings = await service.settings.get(service.organization);
    const now = service.clock.now();
    const writes = eventWrites(domain, draft, settings, now);
    return domainStore(table).markVerified(domain, now, writes);
  };
  const sent = () => service.posts.map(({ body }) => JSON.parse(body));

  test('are sent together with alerts if they are switched on', async () => {
    await service.settings.setWebhook(service.organization, { ...webhook, events: ['domain.verified'] });
    await happened();
    await service.raise(domain, 'critical');
    await service.turn();
    expect(sent()).toMatchObject([
      {
        kind: 'alerts',
        alerts: [{ title: 'alert 1' }],
        events: [{ type: 'domain.verified', domainId: domain.id, domainName: 'example.org' }],
      },
    ]);
    expect(await pendingOf(domain)).toEqual([]);
  });

  test('that are notices are sent by mail whatever its threshold is, and to a webhook that receives them', async () => {
    const unproven = { type: 'domain.unproven', missingSince: start.toISOString() } as const;
    await service.settings.setMail(service.organization, { ...mail, threshold: 'critical' });
    await service.settings.setWebhook(service.organization, { ...webhook, events: ['domain.verified'] });
    await happened(unproven);
    await service.turn();
    expect(service.mails.map(({ subject }) => subject)).toEqual([
      'Ownership of example.org is no longer proven',
    ]);
    expect(sent()).toEqual([]);
    await service.settings.setMail(service.organization, null);
    await service.settings.setWebhook(service.organization, { ...webhook, events: ['domain.unproven'] });
    await happened(unproven);
    await service.turn();
    expect(service.mails).toHaveLength(1);
    expect(sent()).toMatchObject([{ alerts: [], events: [unproven] }]);
  });

  test.each([[[]], [['report.received'] as const]])(
    'cost nothing if only %j are switched on',
    async (events) => {
      await service.settings.setWebhook(service.organization, { ...webhook, events: [...events] });
      await happened();
      expect(await pendingOf(domain)).toEqual([]);
      await service.raise(domain, 'critical');
      await service.turn();
      expect(sent()).toHaveLength(1);
      expect(sent()[0]).not.toHaveProperty('events');
    },
  );
});

describe('the list of deliveries', () => {
  const listed = async (organization = service.organization) =>
    (await deliveryStore(table).list(organization, { page: 1, limit: 20 }, service.clock.now())).deliveries;

  test('says what was sent where, and with what result, newest first', async () => {
    await setBoth();
    service.behaviour.webhook = 500;
    await service.raise(domain, 'critical');
    await service.turn();
    const nextAttemptAt = new Date(start.getTime() + 60_000).toISOString();
    const before = await listed();
    expect(before.toSorted((a, b) => (a.channel < b.channel ? -1 : 1))).toMatchObject([
      { channel: 'mail', status: 'delivered', sentTo: 'ops@example.org', reason: null, nextAttemptAt: null },
      {
        ...{ channel: 'webhook', status: 'failed', sentTo: 'hook.example', endedAt: null },
        ...{ reason: 'the webhook returned 500', nextAttemptAt },
      },
    ]);
    service.behaviour.webhook = 410;
    service.pass(10 * MINUTE);
    await service.work();
    await service.raise(domain, 'critical');
    await service.gather();
    const after = await listed();
    expect(after[0]).toMatchObject({ channel: 'mail', status: 'pending', sentTo: null });
    expect(after.find(({ channel }) => channel === 'webhook')).toMatchObject({
      status: 'switched-off',
      reason: 'the webhook returned 410 Gone',
      endedAt: expect.any(String),
    });
  });

  test('contains those of the organization only', async () => {
    await service.settings.setMail(service.organization, mail);
    await service.raise(domain, 'critical');
    await service.turn();
    const [{ id } = { id: '' }] = await listed();
    expect(await listed('another')).toEqual([]);
    expect(await deliveryStore(table).outcomeOf('another', id)).toBeUndefined();
    expect(await deliveryStore(table).outcomeOf(service.organization, id)).toMatchObject({ id });
  });

  test('gets a delivery with the same content if one is repeated', async () => {
    await service.settings.setMail(service.organization, mail);
    await service.raise(domain, 'critical');
    await service.turn();
    const [before] = await listed();
    if (before === undefined) throw new Error('nothing was delivered');
    service.pass(1000);
    const again = { id: 'again', createdAt: service.clock.now().toISOString() };
    await deliveryStore(table).createAgain(before, again);
    await service.turn();
    expect(service.told.mails()).toEqual([['alert 1'], ['alert 1']]);
    expect((await listed())[0]).toMatchObject({ id: 'again', status: 'delivered' });
  });
});
