/** How attention items open, change and close: once, with one event each, whatever runs at the same time or dies. */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { named } from '../../../shared/attention/kinds.ts';
import { channelStore } from '../../../shared/store/alerts/channels.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import type { Conditions, Held } from '../../../shared/store/attention-changes.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { isRegistered } from '../../../shared/store/domains/writes.ts';
import { attentionKey, channelAttentionKey } from '../../../shared/store/keys.ts';
import type { Table, Write } from '../../../shared/store/table.ts';
import { announceItems, changesOn, itemEvents, openItems } from '../../kit/attention.ts';
import { testCipher } from '../../kit/cipher.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-01-05T08:00:00.000Z');
const since = now.toISOString();

let domain: Domain;

const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
  await announceItems(table, domain.organization);
});

const failing = (...names: string[]): Held => ({ since, about: named(names), severity: 'warning' });

async function applyTo(
  conditions: Conditions,
  on: Table = table,
  guard: readonly Write[] = [isRegistered(domain)],
) {
  const changes = changesOn(on);
  await changes.apply(domain, await changes.open(domain.id), conditions, { guard, now });
}

const open = () => openItems(table, domain.organization);
const events = () => itemEvents(table, { domain: domain.id });

describe('the items of a domain', () => {
  test('open once, also if several runs find the same, and close once', async () => {
    const all = { 'check-failing': failing('SPF'), expiring: { since }, 'lookups-failing': null };
    await Promise.all([applyTo(all), applyTo(all), applyTo(all)]);
    await applyTo(all);
    expect(await open()).toEqual([
      ['check-failing', 'warning', 'SPF'],
      ['expiring', 'warning', ''],
    ]);
    const opened = ['attention.opened check-failing', 'attention.opened expiring'];
    expect(await events()).toEqual(opened);
    const none = { 'check-failing': null };
    await Promise.all([applyTo(none), applyTo(none), applyTo(none)]);
    expect(await open()).toEqual([['expiring', 'warning', '']]);
    expect(await events()).toEqual(['attention.closed check-failing', ...opened]);
  });

  test.each(['before', 'after'] as const)(
    'open and close once if a worker dies %s its write',
    async (when) => {
      await unlessItDies(applyTo({ 'check-failing': failing('SPF') }, dyingAt(table, 1, when)));
      expect(await open()).toHaveLength(when === 'before' ? 0 : 1);
      await applyTo({ 'check-failing': failing('SPF') });
      expect(await events()).toEqual(['attention.opened check-failing']);
      await unlessItDies(applyTo({ 'check-failing': null }, dyingAt(table, 1, when)));
      await applyTo({ 'check-failing': null });
      expect([await open(), await events()]).toEqual([
        [],
        ['attention.closed check-failing', 'attention.opened check-failing'],
      ]);
    },
  );

  test('do not change if what they were derived from is no longer stored, or if the domain is gone', async () => {
    const outdated: Write = {
      ConditionCheck: { Key: attentionKey(domain.id, 'none'), ConditionExpression: 'attribute_exists(pk)' },
    };
    await applyTo({ 'check-failing': failing('SPF') }, table, [outdated]);
    expect([await open(), await events()]).toEqual([[], []]);
    await domainStore(table).remove(domain, now);
    await applyTo({ 'check-failing': failing('SPF') });
    expect(await open()).toEqual([]);
  });

  test('say what they are about now, without an event, and are not put off any more if that is worse', async () => {
    const key = attentionKey(domain.id, 'check-failing');
    const store = attentionStore(table);
    const item = async () => {
      const found = await store.get(key);
      if (found === undefined) throw new Error('not open');
      return found;
    };
    await applyTo({ 'check-failing': failing('SPF', 'BIMI') });
    await store.putOff(key, await item(), { until: '2026-01-20', note: 'Known' }, now);
    await applyTo({ 'check-failing': failing('SPF') });
    expect(await item()).toMatchObject({ about: { names: ['SPF'] }, putOffUntil: '2026-01-20' });
    const before = (await item()).changedAt;
    await applyTo({ 'check-failing': failing('SPF', 'DMARC') });
    expect(await item()).toMatchObject({ putOffUntil: null, note: 'Known', since });
    expect((await item()).changedAt).not.toBeNull();
    await store.putOff(key, await item(), { until: '2026-01-20', note: 'Known' }, now);
    await applyTo({ 'check-failing': { ...failing('SPF', 'DMARC'), severity: 'critical' } });
    expect(await item()).toMatchObject({ putOffUntil: null, severity: 'critical' });
    expect([before, await open(), await events()]).toEqual([
      now.toISOString(),
      [['check-failing', 'critical', 'SPF, DMARC']],
      ['attention.opened check-failing'],
    ]);
    const critical = await store.list(
      domain.organization,
      { severity: 'critical' },
      { page: 1, limit: 9 },
      now,
    );
    expect(critical.items).toHaveLength(1);
  });
});

describe('the item of a channel', () => {
  const item = { channel: 'webhook', kind: 'channel-failing' } as const;
  const mail = { channel: 'mail', kind: 'channel-failing' } as const;
  const held = { since, about: { ...named([]), reason: 'the webhook returned 500' } };

  test('opens and closes once, is listed without a domain, and its events go to other channels only', async () => {
    const { organization } = domain;
    const changes = changesOn(table);
    for (const one of [item, mail]) {
      await Promise.all([
        changes.openChannel(organization, one, held, now),
        changes.openChannel(organization, one, held, now),
      ]);
      await changes.openChannel(organization, one, held, now);
    }
    const store = attentionStore(table);
    const { items } = await store.list(organization, {}, { page: 1, limit: 9 }, now);
    expect(items).toMatchObject([
      { channel: 'mail', domainId: null, domain: null, about: held.about },
      { channel: 'webhook' },
    ]);
    expect(await store.get(channelAttentionKey(organization, 'mail', 'channel-failing'))).toEqual(items[0]);
    expect(await itemEvents(table, { organization })).toEqual(['attention.opened channel-failing']);
    for (const one of [item, mail]) {
      await Promise.all([
        changes.closeChannel(organization, one, now),
        changes.closeChannel(organization, one, now),
      ]);
    }
    expect([await open(), await itemEvents(table, { organization })]).toEqual([
      [],
      ['attention.closed channel-failing', 'attention.opened channel-failing'],
    ]);
  });

  test('closes when its channel is changed or turned off, and not when the other one is', async () => {
    const { organization } = domain;
    const channels = channelStore(table, testCipher);
    const settings = { address: 'ops@example.com', threshold: 'info', digestMinute: null } as const;
    await channels.setMail(organization, settings);
    await changesOn(table).openChannel(organization, mail, held, now);
    await channels.setWebhook(organization, {
      ...{ url: 'https://other.example.com/', secret: 's', threshold: 'info', events: ['attention.closed'] },
    });
    expect(await open()).toHaveLength(1);
    await channels.setMail(organization, { ...settings, address: 'other@example.com' });
    expect(await open()).toEqual([]);
    await changesOn(table).openChannel(organization, mail, held, now);
    await channels.setMail(organization, null);
    expect(await open()).toEqual([]);
    const closed = (await itemEvents(table, { organization })).filter((event) =>
      event.startsWith('attention.closed'),
    );
    expect(closed).toHaveLength(2);
  });
});
