/** A table that was restored to a point, beside the one before, in which things ended since. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { AdminDependencies, StoredObject } from '../../../../lib/admin/command.ts';
import { ingestReportMail, openReportMail } from '../../../../shared/ingest/ingest-mail.ts';
import { reportStores } from '../../../../shared/runtime/dependencies/report-stores.ts';
import { deliveryStore } from '../../../../shared/store/alerts/deliveries.ts';
import { digestPlanStore, openPlan } from '../../../../shared/store/alerts/digest-plans.ts';
import { notificationSettingsStore } from '../../../../shared/store/alerts/notification-settings.ts';
import { pendingNotificationStore, pendingWrites } from '../../../../shared/store/alerts/pending.ts';
import type { Scope } from '../../../../shared/store/api-tokens.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { invitationStore } from '../../../../shared/store/invitations.ts';
import {
  notificationSettingsKey,
  notificationShardOf,
  notificationShards,
} from '../../../../shared/store/keys.ts';
import { memberStore } from '../../../../shared/store/members.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { mailOutcomeStore } from '../../../../shared/store/reports/mail-outcomes.ts';
import { sessionStore } from '../../../../shared/store/sessions.ts';
import { openTable, type Table } from '../../../../shared/store/table.ts';
import { adminCommand } from '../../../kit/admin.ts';
import { madeDelivery } from '../../../kit/alerts.ts';
import { join as joins } from '../../../kit/members.ts';
import { dmarcMail } from '../../../kit/report-mails.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { type EmptyTable, emptyTable } from '../../../kit/table.ts';
import { useFolder } from '../../../kit/use.ts';
import { zone } from '../../../kit/zone.ts';

/** The point, after `registeredDomain` and before now. */
const AT = '2026-03-01T10:00:00Z';
const at = new Date(AT);
const before = new Date(at.getTime() - 3_600_000);
const since = new Date(at.getTime() + 600_000);
const now = new Date(at.getTime() + 3_600_000);
const clock = { now: () => now };
const retention = { retentionDays: 0 };

let folder: string;
let old: EmptyTable;
let restored: EmptyTable;
let domain: Domain;
let objects: Map<string, { message: string; storedAt: Date }>;
const audited: string[] = [];

beforeEach(async () => {
  folder = useFolder('restore');
  old = await tableIn('old');
  domain = await registeredDomain(old);
  objects = new Map();
  audited.length = 0;
});
afterEach(async () => {
  await Promise.all([old.stop(), restored.stop()]);
});

const tableIn = (name: string) => emptyTable(undefined, { path: join(folder, name) });

/** Makes the restored table what the old one is now. */
async function restore(): Promise<void> {
  const database = new DatabaseSync(join(folder, 'old'));
  database.exec(`VACUUM INTO '${join(folder, 'restored')}'`);
  database.close();
  restored = await tableIn('restored');
}

const dns = zone({
  'genuine.test': { TXT: ['v=spf1 ip4:192.0.2.10 -all'] },
  'forged.test': { TXT: ['v=spf1 -all'] },
});

const settings = { UNAUTHENTICATED_REPORTS: 'set-aside', REPORTS_DOMAIN: 'reports.test' } as const;

function depsOn(table: Table): AdminDependencies {
  return {
    table,
    organizations: organizationStore(table),
    domains: domainStore(table),
    stores: () => reportStores(table, retention),
    sumReports: async () => undefined,
    raw: () => ({ read: async (key: string) => Buffer.from(objects.get(key)?.message ?? '') }),
    dns: () => dns,
    clock,
    setting: (key: keyof typeof settings, otherwise: unknown) => settings[key] ?? otherwise,
    progress: { show: () => undefined, end: () => undefined },
    audit: async (_organization: string, entries: readonly { action: string }[]) => {
      audited.push(...entries.map(({ action }) => action));
    },
    deployment: () => ({
      client: restored.client,
      on: (name: string) => depsOn(name === 'old' ? { ...old, name } : openTable(name)),
      objectsSince: async (_prefix: string, from: Date): Promise<StoredObject[]> =>
        [...objects].flatMap(([key, { storedAt }]) => (storedAt >= from ? [{ key, storedAt }] : [])),
    }),
  } as unknown as AdminDependencies;
}

const finish = async (...more: string[]): Promise<string> => {
  const options = more.includes('--old-table') ? more : ['--old-table', 'old', ...more];
  return (await adminCommand(['table', 'finish', '--at', AT, ...options])(depsOn(restored))).join('\n');
};

describe('a restored table', () => {
  test('does not have tokens again that were revoked since, and keeps the others', async () => {
    const { organization } = domain;
    const issue = async (table: Table, name: string, when: Date) =>
      (await organizationStore(table).createToken(organization, { name, label: 'svc' }, when)).info;
    const revoked = await issue(old, 'revoked', before);
    const kept = await issue(old, 'kept', before);
    await sessionStore(old).start(kept, 'ended since', at);
    await restore();
    await sessionStore(restored).start(kept, 'started since', now);
    await organizationStore(old).revokeToken(revoked, since);
    // The service uses the restored table already.
    await issue(restored, 'new', now);
    expect(await finish()).toContain('1 token revoked again');
    const valid = (await organizationStore(restored).listTokens(organization)).filter(
      (one) => one.revokedAt === null,
    );
    expect(valid.map(({ name }) => name)).toEqual(['kept', 'new']);
    expect(audited).toEqual(['deleteToken', 'endSessions', 'finishRestore']);
    const sessions = await sessionStore(restored).list(organization, undefined, now);
    expect(sessions.map(({ client }) => client)).toEqual(['started since']);
    expect(await finish()).toContain('0 tokens revoked again');
    expect(await finish('--old-table', 'lost')).toContain('1 token revoked again');
  });

  test('does not give people rights again that ended since', async () => {
    const { organization } = domain;
    const joined = (person: string, scope: Scope) => joins(old, organization, person, scope, before);
    const lowered = await joined('lowered', 'admin');
    const raised = await joined('raised', 'read');
    const removed = await joined('removed', 'admin');
    const operators = [await joined('operator', 'read'), await joined('still', 'read')] as const;
    for (const one of [removed, ...operators]) await memberStore(old).setOperator(one, true);
    const invite = (table: Table, mail: string, when: Date) =>
      invitationStore(table).create({ organization, mail, scope: 'admin', by: null }, when);
    await invite(old, 'invited@example.org', before);
    await restore();
    await memberStore(old).changeScope(lowered, 'read', undefined);
    await memberStore(old).changeScope(raised, 'admin', undefined);
    await memberStore(old).remove(removed, undefined, since);
    await memberStore(old).setOperator(operators[0], false);
    const { invitation } = await invite(restored, 'new@example.org', since);
    const newcomer = await joins(restored, organization, 'newcomer', 'admin', since);
    expect((await finish()).split('\n').slice(0, 4)).toEqual([
      '1 token revoked again',
      '1 role lowered again',
      '1 invitation withdrawn',
      '1 operator removed again',
    ]);
    const members = await Promise.all(
      [lowered, raised, removed, ...operators].map(({ member }) => memberStore(restored).of(member.person)),
    );
    expect(members.flat().map(({ name, scope }) => [name, scope])).toEqual(
      ['lowered', 'raised', 'operator', 'still'].map((person) => [`${person}@example.org`, 'read']),
    );
    expect((await memberStore(restored).operatorsAmong(members.flat())).map(({ hash }) => hash)).toEqual([
      operators[1].hash,
    ]);
    expect(await memberStore(restored).of(newcomer.member.person)).toMatchObject([{ scope: 'admin' }]);
    const open = await invitationStore(restored).list(organization, now);
    expect(open.map(({ id }) => id)).toEqual([invitation.id]);
    expect(audited.toSorted()).toEqual([
      ...['deleteInvitation', 'finishRestore', 'removeMember', 'setOperator', 'updateMember'],
    ]);
    expect((await finish()).split('\n').slice(0, 4).join()).not.toMatch(/[1-9]/);
    await finish('--old-table', 'lost');
    expect(await memberStore(restored).of(lowered.member.person)).toEqual([]);
  });

  test('does not have domains again that were removed since, unless it was restored for them', async () => {
    await restore();
    await domainStore(old).remove(domain, since);
    expect(await finish('--keep-domains')).toContain('0 domains removed again');
    expect(await finish()).toContain('1 domain removed again: example.org');
    expect(await domainStore(restored).get(domain.organization, domain.id)).toBeUndefined();
  });

  test('is not compared with the table of another service', async () => {
    await restore();
    const other = await emptyTable();
    await registeredDomain(other);
    const mixed = depsOn(restored);
    const { deployment } = mixed;
    const deps = {
      ...mixed,
      deployment: () => ({ ...deployment(), on: () => depsOn({ ...other, name: 'old' }) }),
    };
    await expect(adminCommand(['table', 'finish', '--at', AT, '--old-table', 'old'])(deps)).rejects.toThrow(
      `does not have the organization ${domain.organization}`,
    );
    expect(await domainStore(restored).get(domain.organization, domain.id)).toBeDefined();
    await other.stop();
  });

  test('does not send again what was sent since, and sends what still waits', async () => {
    const { organization, id: domainId } = domain;
    const alert = () => uuidv7({ msecs: before.getTime() });
    const subject = { organization, domainId, severity: 'info' } as const;
    const due = { channel: 'mail', kind: 'alerts', at: before } as const;
    const [sent, waiting] = [alert(), alert()];
    for (const one of [sent, waiting]) await old.transact(pendingWrites({ ...subject, alert: one }, [due]));
    const delivery = (id: string) =>
      madeDelivery({ id, organization, createdAt: before.toISOString(), channel: 'mail', kind: 'alerts' });
    const [delivered, undelivered] = [alert(), alert()];
    for (const id of [delivered, undelivered]) await deliveryStore(old).create(delivery(id), []);
    await restore();
    await pendingNotificationStore(old).remove([{ ...subject, alert: sent, ...due }]);
    const claimed = await deliveryStore(old).claim(delivered, {
      now: since,
      leaseSeconds: 60,
      sentAt: since,
    });
    if (claimed.status !== 'claimed') throw new Error(claimed.status);
    await deliveryStore(old).finish(claimed.lease, { outcome: 'delivered' }, since);
    expect(await finish()).toContain('2 notifications dropped that had been sent');
    const shard = notificationShardOf(organization);
    const all = { now, limit: 100 };
    const left = await pendingNotificationStore(restored).due('alerts', shard, all);
    expect(left.map((one) => one.alert)).toEqual([waiting]);
    expect((await deliveryStore(restored).due('alerts', shard, all)).map(({ id }) => id)).toEqual([
      undelivered,
    ]);
    expect(await finish('--old-table', 'lost')).toContain('2 notifications dropped');
  });

  test('does not send a digest again', async () => {
    const { organization } = domain;
    const settings = notificationSettingsKey(organization);
    await old.put({ ...settings, ...openPlan(organization, { digestMinute: 0 }) });
    const plan = async (table: Table) => {
      const plans = await Promise.all(
        notificationShards.map((shard) =>
          digestPlanStore(table).due(shard, { now: new Date('9999-01-01'), limit: 10 }),
        ),
      );
      const [one] = plans.flat();
      if (one === undefined) throw new Error('no plan');
      return one;
    };
    await digestPlanStore(old).set(await plan(old), before);
    await restore();
    const next = new Date('2026-03-08T00:00:00.000Z');
    await digestPlanStore(old).set(await plan(old), next, since.toISOString());
    await finish();
    expect((await plan(restored)).at).toBe(next.toISOString());
    expect((await notificationSettingsStore(restored).get(organization)).lastDigestAt).toBe(
      since.toISOString(),
    );
  });
});

describe('mails that arrived since', () => {
  /** Stores a report mail as SES does. Its sender is authenticated by SPF if it is `genuine.test`. */
  function arrive(sender: string, storedAt: Date, mailbox = domain.mailbox) {
    const messageId = `m${objects.size}`;
    const rawKey = `reports/${messageId}`;
    const trace = [
      `Return-Path: <dmarc@${sender}>`,
      `Received: from mail.${sender} (mail.${sender} [192.0.2.10])`,
      ` by inbound-smtp.eu-west-1.amazonaws.com with SMTP id ${messageId}`,
      ` for ${mailbox}@reports.test;`,
      ' Sun, 01 Mar 2026 10:00:00 +0000 (UTC)',
      '',
    ].join('\r\n');
    const report = dmarcMail(
      { domain: 'example.org', id: messageId, begin: Date.UTC(2026, 1, 28) / 1000 },
      { from: `dmarc@${sender}` },
    );
    objects.set(rawKey, { message: trace + report, storedAt });
    return { messageId, rawKey, receivedAt: new Date(storedAt.getTime() - 1234), alsoFor: [] };
  }

  /** Reads a mail as the service does. */
  async function read(table: Table, mail: ReturnType<typeof arrive>, answers = dns) {
    const { raw, stores } = depsOn(table);
    const opened = await openReportMail(mail, { raw: raw(), dns: answers });
    if (opened === undefined) throw new Error('no message');
    const context = { domain, unauthenticated: settings.UNAUTHENTICATED_REPORTS };
    await ingestReportMail(mail, await opened.read(), opened, context, { stores: stores(), now: since });
  }

  async function stored() {
    const found: [string, unknown, string[], string][] = [];
    for await (const mail of mailOutcomeStore(restored, retention).all(domain.id))
      found.push([
        mail.messageId,
        mail.authentication?.authenticated,
        mail.outcomes.map(({ kind }) => kind),
        mail.receivedAt.toISOString(),
      ]);
    return found;
  }

  test('are read again, and a forged one that was set aside stays set aside', async () => {
    const early = arrive('genuine.test', before);
    await read(old, early);
    await restore();
    const genuine = arrive('genuine.test', since);
    const forged = arrive('forged.test', since);
    for (const mail of [genuine, forged]) await read(old, mail);
    const lines = await finish();
    expect(lines).toContain('3 mails since 2026-03-01T09:00:00.000Z: 2 read for 1 domain, 1 stored already');
    expect(await stored()).toEqual([
      ['m0', true, ['accepted'], early.receivedAt.toISOString()],
      ['m1', true, ['accepted'], genuine.receivedAt.toISOString()],
      ['m2', false, ['set-aside'], forged.receivedAt.toISOString()],
    ]);
    expect(await finish()).toContain('0 read for 0 domains, 3 stored already');
  });

  test('keep the result of their authentication, although the DNS records have changed', async () => {
    await restore();
    const mail = arrive('rotated.test', since);
    await read(old, mail, zone({ 'rotated.test': { TXT: ['v=spf1 ip4:192.0.2.10 -all'] } }));
    await finish();
    expect((await stored()).map((one) => one.slice(0, 3))).toEqual([['m0', true, ['accepted']]]);
  });

  test('are authenticated if the old table does not have them, or is lost', async () => {
    await restore();
    arrive('genuine.test', since);
    arrive('forged.test', since);
    await finish();
    const outcomes = [
      ['m0', true, ['accepted']],
      ['m1', false, ['set-aside']],
    ];
    expect((await stored()).map((one) => one.slice(0, 3)).toSorted()).toEqual(outcomes);
  });

  test('raise no alerts, which were sent when they arrived', async () => {
    await restore();
    await read(old, arrive('genuine.test', since));
    await finish();
    const alertsIn = (table: Table) => {
      const { alerts } = reportStores(table, retention);
      return alerts.list(domain.organization, { unreadOnly: false }, { page: 1, limit: 10 }, now);
    };
    expect((await alertsIn(old)).alerts.map(({ type }) => type)).toEqual(['new_report']);
    expect((await alertsIn(restored)).alerts).toEqual([]);
  });

  test('are left out before a time, for an unknown mailbox, and if they were over the quota', async () => {
    await restore();
    arrive('genuine.test', before);
    arrive('genuine.test', since, 'nobody');
    const flood = arrive('genuine.test', since);
    const outcomes = [{ kind: 'over-quota', source: 'mail', reason: 'too many', report: null }] as const;
    const head = { from: null, subject: null, authentication: null };
    await mailOutcomeStore(old, retention).store(domain, { ...flood, ...head, outcomes });
    expect(await finish('--since', '2026-03-01T09:30:00Z')).toContain(
      '2 mails since 2026-03-01T09:30:00.000Z: 1 read for 1 domain, 0 stored already, 1 for no domain',
    );
    expect((await stored()).map((one) => one.slice(0, 3))).toEqual([
      [flood.messageId, undefined, ['over-quota']],
    ]);
  });
});
