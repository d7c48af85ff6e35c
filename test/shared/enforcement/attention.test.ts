/** The attention items that the assessment of a domain opens and closes. */

import { beforeEach, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { applyAssessment, applyNoReports } from '../../../shared/enforcement/attention.ts';
import { keepNextPolicy } from '../../../shared/enforcement/next-policy.ts';
import { senderGroups } from '../../../shared/enforcement/senders.ts';
import type { SenderStatus } from '../../../shared/enforcement/shapes.ts';
import type {
  DaySummary,
  RecordSummary,
  ReportSummary,
} from '../../../shared/reports/dmarc/summary/shapes.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { decisionStore } from '../../../shared/store/enforcement/decisions.ts';
import type { Table } from '../../../shared/store/table.ts';
import { announceItems, changesOn, itemEvents, openItems } from '../../kit/attention.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { reporters } from '../../kit/readiness.ts';
import {
  dayNumber,
  history,
  newsletter,
  ownMail,
  policy,
  reportFrom,
  spoofed,
} from '../../kit/report-history.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { assessmentDependencies } from '../../kit/watch.ts';

const RECORD = 'v=DMARC1; p=none; rua=mailto:a@example.org';
const FIRST = 60;

let domain: Domain;
/** The number of the present day. */
let today: number;
let decided = 0;
/** The records of a day in each report, and what the reports of that day are otherwise. */
let records: (n: number) => readonly RecordSummary[];
let others: (n: number) => readonly ReportSummary[];

const table = await useTable();
beforeEach(async () => {
  domain = { ...(await registeredDomain(table)), usageType: 'sends-and-receives' };
  await announceItems(table, domain.organization);
  today = FIRST;
  records = () => [ownMail()];
  others = () => [];
  await decide(ownMail(), 'approved');
  await checked(RECORD);
});

const now = () => new Date(`${dayNumber(today)}T12:00:00Z`);

/** A check run of the present day that finds this DMARC record. */
async function checked(record: string, given: Partial<CheckResults> = {}): Promise<void> {
  const perfect = perfectResults('sends-and-receives');
  const dmarc = { ...perfect.dmarc, record, policyDomain: 'example.org', rua: ['mailto:a@example.org'] };
  const results = { ...perfect, ...given, dmarc };
  await checkStore(table).keep(domain, { checkedAt: now().toISOString(), results });
}

async function decide(mail: RecordSummary, status: SenderStatus): Promise<void> {
  const { id: senderId } = senderGroups('example.org').groupOf(mail);
  const decisions = decisionStore(table);
  const before = (await decisions.list(domain.id)).get(senderId);
  decided += 1;
  const changedAt = new Date(now().getTime() + decided).toISOString();
  const decision = { senderId, status, note: null, changedBy: null, changedAt };
  expect(await decisions.decide(domain, decision, before)).toBe('changed');
}

function days(): DaySummary[] {
  return history(0, today, (n) => [
    ...reporters.map((reporter) => reportFrom(reporter, records(n), { policy: policy({ p: 'none' }) })),
    ...others(n),
  ]);
}

/** What a roll-up does on the present day. */
async function assess(on: Table = table, canBeReady = true): Promise<void> {
  const deps = assessmentDependencies(on, days, now);
  await applyAssessment(domain, await keepNextPolicy(domain, deps, canBeReady), deps, now());
}

const open = () => openItems(table, domain.organization);
const events = () => itemEvents(table, { domain: domain.id });
const READY = [['ready-for-next-step', 'info', 'quarantine']];

test('ready-for-next-step opens once, and closes when the domain is not ready any more', async () => {
  await assess();
  today += 1;
  await checked(RECORD);
  await assess();
  expect([await open(), await events()]).toEqual([READY, ['attention.opened ready-for-next-step']]);
  await decide(ownMail(), 'unauthorized');
  await assess();
  expect([await open(), await events()]).toEqual([
    [],
    ['attention.closed ready-for-next-step', 'attention.opened ready-for-next-step'],
  ]);
});

test('ready-for-next-step does not open again for a record that was published since the assessment', async () => {
  await assess();
  const changes = changesOn(table);
  await changes.apply(
    domain,
    await changes.open(domain.id),
    { 'ready-for-next-step': null },
    { guard: [], now: now() },
  );
  await checked('v=DMARC1; p=quarantine; rua=mailto:a@example.org');
  await assess();
  expect(await open()).toEqual([]);
});

test('ready-for-next-step closes when reports stop, and the items of senders when none are left', async () => {
  await assess();
  expect(await open()).toEqual(READY);
  await assess(table, false);
  expect(await open()).toEqual([]);
  const news = newsletter();
  await decide(news, 'approved');
  records = () => [ownMail(), news];
  await assess(table, false);
  expect(await open()).toEqual([['sender-failing', 'warning', 'example.net']]);
  await applyNoReports(domain, { attention: changesOn(table) }, now());
  expect(await open()).toEqual([]);
});

test('sender-failing opens for an approved sender whose mail fails, and closes a week after it was repaired', async () => {
  const broken = { dkim: 'fail', spf: 'fail', dkimDomains: [], spfResult: 'fail' } as const;
  records = (n) => [ownMail(n >= 50 && n < 62 ? { ...broken, dkimDomains: ['example.org'] } : {})];
  await assess();
  const failing = [['sender-failing', 'warning', expect.any(String)]];
  expect(await open()).toEqual(failing);
  const seen: number[] = [];
  for (today = FIRST + 1; today < FIRST + 20; today += 1) {
    await checked(RECORD);
    await assess();
    if ((await open()).some(([kind]) => kind === 'sender-failing')) seen.push(today);
  }
  // Mail failed until day 61; a week without failures ends on day 68, of which reports are complete on day 71.
  expect(seen.at(-1)).toBe(70);
  expect((await events()).filter((event) => event.endsWith('sender-failing'))).toEqual([
    'attention.closed sender-failing',
    'attention.opened sender-failing',
  ]);
});

test('sender-failing has the limit of the next step, so it does not contradict ready-for-next-step', async () => {
  const second = ownMail({ sourceIp: '198.51.100.9' });
  await decide(second, 'approved');
  const failing = (percent: number) => () => [
    ownMail({ count: 1000 }),
    { ...second, count: 100 - percent },
    { ...second, count: percent, dkim: 'fail', spf: 'fail' } as const,
  ];
  records = failing(4);
  await assess();
  expect(await open()).toEqual(READY);
  records = failing(6);
  today += 1;
  await checked(RECORD);
  await assess();
  expect(await open()).toEqual([['sender-failing', 'warning', '198.51.100.0/24']]);
});

test('sender-failing names what fails in forged reports as little as mail that no owner approved', async () => {
  records = () => [ownMail(), spoofed({ count: 5_000 })];
  others = (n) => [
    reportFrom('attacker.example', [ownMail({ dkim: 'fail', spf: 'fail', count: 50_000 })], {
      ...{ authenticated: false, policy: policy({ p: 'none' }) },
    }),
    reportFrom('attacker.example', [newsletter({ count: 10 * n })], { authenticated: false }),
  ];
  await assess();
  expect(await open()).toEqual(READY);
});

test('sender-undecided opens for mail that looks legitimate, and closes with the decision', async () => {
  const news = newsletter({ sourceIp: '203.0.113.5' });
  records = () => [ownMail(), news];
  const { spf } = perfectResults('sends-and-receives');
  await checked(RECORD, { spf: { ...spf, flattenedIps: ['203.0.113.0/24'] } });
  await assess();
  expect([await open(), await events()]).toEqual([
    [['sender-undecided', 'info', 'example.net']],
    ['attention.opened sender-undecided'],
  ]);
  await decide(news, 'unauthorized');
  await assess();
  expect([await open(), await events()]).toEqual([
    READY,
    [
      'attention.closed sender-undecided',
      'attention.opened ready-for-next-step',
      'attention.opened sender-undecided',
    ],
  ]);
});

test.each([1, 2, 3])('items open and close once if a roll-up dies at its write %i', async (write) => {
  const news = newsletter();
  await decide(news, 'approved');
  records = () => [ownMail(), news];
  for (const when of ['before', 'after'] as const) await unlessItDies(assess(dyingAt(table, write, when)));
  await assess();
  expect([await open(), await events()]).toEqual([
    [['sender-failing', 'warning', 'example.net']],
    ['attention.opened sender-failing'],
  ]);
  await decide(news, 'unauthorized');
  for (const when of ['before', 'after'] as const) await unlessItDies(assess(dyingAt(table, write, when)));
  await assess();
  expect([await open(), await events()]).toEqual([
    READY,
    [
      'attention.closed sender-failing',
      'attention.opened ready-for-next-step',
      'attention.opened sender-failing',
    ],
  ]);
});
