/** What happens with the reports of a domain after they are stored: alerts about senders, and the sums of an organization. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type OrganizationSums, organizationSums } from '../../../shared/enforcement/organization-shapes.ts';
import { sumsOfOrganization } from '../../../shared/enforcement/organization-sums.ts';
import { senderGroups } from '../../../shared/enforcement/senders.ts';
import { daysBefore } from '../../../shared/reports/day.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { decisionStore } from '../../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../../shared/store/enforcement/next-policies.ts';
import { reportUuid } from '../../../shared/store/reports/commit.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { domainSumsStore, organizationSumsStore } from '../../../shared/store/reports/domain-sums.ts';
import { openItem, openItems } from '../../kit/attention.ts';
import { ownMail } from '../../kit/report-history.ts';
import {
  arrival,
  dmarcReport,
  registerDomain,
  registeredDomain,
  row,
  storeDmarc,
} from '../../kit/reports.ts';
import { handleRollUp } from '../../kit/roll-up.ts';
import { useTable } from '../../kit/use-table.ts';

process.env.LOG_LEVEL = 'silent';

/** The embedded DynamoDB deletes what has expired by its own clock. */
const now = new Date();
const ago = (days: number): string => daysBefore(now.toISOString().slice(0, 10), days);
const kept = { retentionDays: 0 };

let domain: Domain;
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
});

const spoofed = {
  sourceIp: '203.0.113.9',
  dkim: 'fail',
  spf: 'fail',
  dkimResults: [],
  spfResults: [],
} as const;

async function store(daysAgo: number, rows = [row({ count: 10 })], reportId = 'r', of = domain) {
  const sample = dmarcReport(ago(daysAgo), rows, { reportId });
  const { status } = await storeDmarc(dmarcReportStore(table, kept), of, sample, now);
  expect(status).toBe('stored');
  return reportUuid('DMARC', of.id, sample.identity);
}

async function rollUp(
  day: string,
  { earlier = true, of = domain, clock = now, retentionDays = 0 } = {},
): Promise<void> {
  const done = await handleRollUp(table, of, { kind: 'DMARC', day, earlier }, { now: clock, retentionDays });
  expect(done).toEqual({ batchItemFailures: [] });
}

const titles = async () => {
  const { alerts } = await alertStore(table, kept).list(
    domain.organization,
    { unreadOnly: false },
    { page: 1, limit: 20 },
    now,
  );
  return alerts.map(({ title }) => title);
};

const sums = (organization = domain.organization, at = now): Promise<OrganizationSums> =>
  sumsOfOrganization(
    organization,
    {
      domainSums: domainSumsStore(table, kept),
      organizationSums: organizationSumsStore(table, organizationSums),
    },
    at,
  );

test('nothing follows the roll-up of a day that is in no sums', async () => {
  await store(2);
  await rollUp(ago(30), { earlier: false });
  expect((await sums()).totals.messages).toBe(0);
  await rollUp(ago(29), { earlier: false });
  expect((await sums()).totals.messages).toBe(10);
});

test('a day for which little time is left is rolled up by another message', async () => {
  await store(1);
  const left: object[] = [];
  const message = { kind: 'DMARC', day: ago(1), earlier: false } as const;
  const { id, organization, domain: name } = domain;
  for (const remaining of [20_000, 20_001]) {
    await handleRollUp(table, domain, message, { now, remaining, left });
    expect(left).toEqual([{ domain: { id, organization, domain: name }, ...message }]);
  }
});

describe('a domain with one report a day', () => {
  beforeEach(async () => {
    for (let day = 12; day > 2; day -= 1) await store(day);
    await store(2, [row(), row({ ...spoofed, count: 200 })]);
  });

  test('raises alerts about the last day before a new one', async () => {
    await rollUp(ago(2));
    expect(await titles()).toEqual([]);
    await store(1);
    await rollUp(ago(1));
    await rollUp(ago(1));
    expect(await titles()).toEqual(['New sender fails: example.org']);
  });

  test('raises them about a day that is examined late, whatever the next day shows', async () => {
    await store(1, [row(), row({ ...spoofed, count: 200 })]);
    await rollUp(ago(2), { earlier: false });
    expect(await titles()).toEqual(['New sender fails: example.org']);
  });

  test('raises them at its next check if no report follows', async () => {
    await rollUp(ago(0));
    expect(await titles()).toEqual(['New sender fails: example.org']);
  });

  test('has its readiness for a stronger policy assessed', async () => {
    await rollUp(ago(0));
    expect(await nextPolicyStore(table).get(domain.id)).toMatchObject({ assessedAt: now.toISOString() });
  });

  test('raises them although reports expire, and once for as long as an approved sender fails', async () => {
    const { id } = senderGroups('example.org').groupOf(ownMail({ dkimDomains: [], mailFrom: null }));
    const changedAt = now.toISOString();
    await decisionStore(table).decide(
      domain,
      {
        ...{ senderId: id, status: 'approved', note: null },
        changedBy: null,
        changedAt,
      },
      undefined,
    );
    const failing = [row({ count: 50, dkim: 'fail', spf: 'fail' })];
    for (const day of [2, 1, 0]) {
      await store(day, failing, 'of a second reporter');
      await rollUp(ago(day - 1), { retentionDays: 90 });
    }
    await rollUp(ago(-1), { retentionDays: 90 });
    expect((await titles()).toSorted()).toEqual([
      'Approved sender fails: example.org',
      'New sender fails: example.org',
    ]);
  });

  test('examines a day again after a slower reporter', async () => {
    await store(1);
    await rollUp(ago(1));
    expect(await titles()).toEqual(['New sender fails: example.org']);
    await store(1, [row({ ...spoofed, sourceIp: '198.51.100.9', count: 400 })], 'late');
    await store(0);
    await rollUp(ago(0));
    await store(1, [row({ ...spoofed, sourceIp: '203.0.112.9', count: 500 })], 'later');
    await rollUp(ago(0));
    expect(await titles()).toEqual(['New sender fails: example.org', 'New sender fails: example.org']);
  });

  test('has no readiness assessed after two days without reports', async () => {
    await rollUp(ago(0), { clock: new Date(now.getTime() + 86_400_000) });
    expect(await nextPolicyStore(table).get(domain.id)).toBeUndefined();
  });

  test('is still assessed then if that can close an item, and proposes no policy', async () => {
    await openItem(table, domain, 'ready-for-next-step', now.toISOString());
    await rollUp(ago(0), { clock: new Date(now.getTime() + 86_400_000) });
    expect(await nextPolicyStore(table).get(domain.id)).toMatchObject({ policy: null });
    expect(await openItems(table, domain.organization)).toEqual([]);
  });

  test('has no items of senders when no reports are left', async () => {
    await openItem(table, domain, 'sender-failing', now.toISOString());
    await rollUp(ago(-60), { clock: new Date(now.getTime() + 60 * 86_400_000) });
    expect(await openItems(table, domain.organization)).toEqual([]);
  });

  test('raises none about days that are long past', async () => {
    await rollUp(ago(0), { clock: new Date(now.getTime() + 10 * 86_400_000) });
    expect(await titles()).toEqual([]);
  });
});

test('a new domain whose mail fails gets one alert, whatever reports follow', async () => {
  const failing = [row(), row({ ...spoofed, count: 20 })];
  for (const day of [3, 2, 1]) {
    await store(day, failing);
    await store(day, failing, 'of a second reporter');
    await rollUp(ago(day), { earlier: false });
    await rollUp(ago(day - 1));
  }
  expect(await titles()).toEqual(['More mail fails: example.org']);
});

test('a new domain gets one alert, too, if a late report shows that the mail failed on the day before', async () => {
  const failing = [row(), row({ ...spoofed, count: 20 })];
  for (const [day, reporter] of [
    [1, 'first'],
    [2, 'late'],
    [1, 'second'],
  ] as const) {
    await store(day, failing, reporter);
    if (day === 1) await rollUp(ago(1), { earlier: false });
  }
  expect(await titles()).toEqual(['More mail fails: example.org']);
});

describe('the sums of an organization', () => {
  test('add up the last 30 days of its domains', async () => {
    const other = await registerDomain(table, domain.organization, 'example.com', now);
    await store(40, [row({ count: 1000 })]);
    await store(29, [row({ count: 30 })]);
    await store(1, [row({ count: 60 }), row({ ...spoofed, count: 10 })]);
    await store(0, [row({ count: 5 })], 'r', other);
    await store(0, [row({ ...spoofed, headerFrom: 'example.com', count: 25 })], 'second', other);
    await rollUp(ago(0));
    await rollUp(ago(0), { of: other });
    const { totals, sources } = await sums();
    expect(totals).toEqual({
      ...{ startDate: ago(29), endDate: ago(0), asOf: now.toISOString(), domains: 2, hasMore: false },
      ...{ messages: 130, passedMessages: 95, failedMessages: 35, passRate: 73.08 },
    });
    expect(
      sources.map(({ name, domains, messages, failedMessages }) => [name, domains, messages, failedMessages]),
    ).toEqual([
      ['192.0.2.0/24', 1, 90, 0],
      ['203.0.113.0/24', 2, 35, 35],
      ['example.org', 1, 5, 0],
    ]);
    expect(sources[1]).toMatchObject({
      ...{ kind: 'network', passRate: 0, firstSeen: ago(1), lastSeen: ago(0) },
      mostFailed: [
        { domainId: other.id, domain: 'example.com', failedMessages: 25 },
        { domainId: domain.id, domain: 'example.org', failedMessages: 10 },
      ],
    });
  });

  test('have the messages of each day, and the authenticated reporters', async () => {
    const other = await registerDomain(table, domain.organization, 'example.com', now);
    const report = async (days: number, orgName: string, of = domain, authenticated = true) => {
      const sample = dmarcReport(ago(days), [row({ count: 10 })], {
        orgName,
        reportId: `${orgName} ${days}`,
      });
      const writer = dmarcReportStore(table, kept).begin(of, sample.header, {
        identity: sample.identity,
        arrival: { ...arrival, authenticated },
      });
      writer.add(sample.rows);
      expect((await writer.commit(now)).status).toBe('stored');
    };
    for (const days of [40, 20, 3, 2]) await report(days, 'steady.example');
    await report(20, 'gone.example');
    await report(2, 'forged.example', domain, false);
    await report(1, 'steady.example', other);
    await rollUp(ago(0));
    await rollUp(ago(0), { of: other });
    const { days, reporters } = await sums();
    expect(days).toEqual([
      { day: ago(20), messages: 20, passed: 20 },
      { day: ago(3), messages: 10, passed: 10 },
      { day: ago(2), messages: 20, passed: 20 },
      { day: ago(1), messages: 10, passed: 10 },
    ]);
    expect(reporters).toEqual([
      { name: 'steady.example', days: 3, firstSeen: ago(20), lastSeen: ago(1) },
      { name: 'gone.example', days: 1, firstSeen: ago(20), lastSeen: ago(20) },
    ]);
  });

  test('leave out days and senders that are over, other organizations, and removed domains', async () => {
    await store(25, [row({ count: 7 })]);
    await store(1, [row({ ...spoofed, count: 2 })], 'second');
    await rollUp(ago(0));
    const later = await sums(domain.organization, new Date(now.getTime() + 10 * 86_400_000));
    expect([later.totals.messages, later.sources.map(({ name }) => name)]).toEqual([2, ['203.0.113.0/24']]);
    const elsewhere = await registeredDomain(table);
    expect((await sums(elsewhere.organization)).totals).toMatchObject({
      asOf: null,
      domains: 0,
      messages: 0,
      passRate: null,
    });
    await domainStore(table).remove(domain, now);
    await rollUp(ago(0));
    expect((await sums()).totals).toMatchObject({ domains: 0, messages: 0 });
  });

  test('are not replaced by what a slower worker read before', async () => {
    const store = domainSumsStore(table, kept);
    const read = (messages: number) => ({
      days: [{ day: ago(0), messages, passed: 0 }],
      senders: [],
      reporters: [],
    });
    await store.keep(domain, read(2), now);
    const before = new Date(now.getTime() - 1000);
    await store.keep(domain, read(1), before);
    await store.keep(domain, { days: [], senders: [], reporters: [] }, before);
    expect((await sums()).totals.messages).toBe(2);
  });

  test('lose what is deleted', async () => {
    const id = await store(3, [row({ count: 7 })]);
    await rollUp(ago(0));
    expect((await sums()).totals.messages).toBe(7);
    const reports = dmarcReportStore(table, kept);
    expect(await reports.remove(domain, { id, window: {} }, now)).toMatchObject({ isRemoved: true });
    await rollUp(ago(3), { earlier: false });
    expect((await sums()).totals).toMatchObject({ domains: 0, messages: 0 });
  });

  test('are kept for two minutes with 300 domains, and calculated each time with fewer', async () => {
    let read = 0;
    const calculated = async (domains: number, organization: string, seconds: number) => {
      const before = read;
      const domainSums = {
        async *each() {
          read += 1;
          const day = { day: ago(0), messages: 2, passed: 1 };
          for (let n = 0; n < domains; n += 1)
            yield {
              ...{ id: `id-${n}`, domain: `d${n}.example`, summedAt: now.toISOString() },
              sums: { days: [day], senders: [], reporters: [] },
            };
        },
      };
      const stores = { domainSums, organizationSums: organizationSumsStore(table, organizationSums) };
      const at = new Date(now.getTime() + seconds * 1000);
      const { totals } = await sumsOfOrganization(organization, stores, at);
      expect(totals).toMatchObject({ domains, messages: 2 * domains, passRate: 50 });
      return read > before;
    };
    const large = crypto.randomUUID();
    expect([
      await calculated(300, large, 0),
      await calculated(300, large, 100),
      await calculated(300, large, 120),
    ]).toEqual([true, false, true]);
    const small = crypto.randomUUID();
    expect([await calculated(299, small, 0), await calculated(299, small, 1)]).toEqual([true, true]);
  });
});
