/** The attention item about a step that loses approved mail, on a real table: its record, and when it opens and closes. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { differenceFrom } from '../../../shared/alerts/changes.ts';
import { factsOf } from '../../../shared/alerts/facts.ts';
import { textOf } from '../../../shared/attention/kinds.ts';
import { stepFacts } from '../../../shared/attention/step-text.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { watchReports } from '../../../shared/enforcement/watch-reports.ts';
import type {
  DaySummary,
  PublishedPolicy,
  RecordSummary,
} from '../../../shared/reports/dmarc/summary/shapes.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import type { Table } from '../../../shared/store/table.ts';
import { changesOn } from '../../kit/attention.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { decisions } from '../../kit/readiness.ts';
import {
  dayNumber,
  history,
  newsletter,
  owner,
  ownMail,
  policy,
  reportFrom,
} from '../../kit/report-history.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { watchDependencies } from '../../kit/watch.ts';
import { zone } from '../../kit/zone.ts';

const MAILBOX = 'a1b2@reports.example';
const STEP = 90;
const recordOf = (tags: string) => `v=DMARC1; ${tags}; rua=mailto:${MAILBOX}`;
const approved = decisions([ownMail(), 'approved'], [newsletter(), 'approved']);

let domain: Domain;
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
});

function resultsWith(record: string | null): CheckResults {
  const perfect = perfectResults('sends-and-receives');
  const state = record === null ? 'unknown' : 'pass';
  return {
    ...perfect,
    dmarc: { ...perfect.dmarc, state, record, rua: record === null ? [] : [`mailto:${MAILBOX}`] },
  };
}

/** A check run on day `n` that finds this record (null: the lookup failed). */
async function run(
  n: number,
  days: readonly DaySummary[],
  record: string | null,
  on: Table = table,
  decided = approved,
) {
  await watchReports(
    { ...domain, usageType: 'sends-and-receives', mailbox: MAILBOX },
    { ...watchDependencies(on, days), decisions: { list: async () => decided } },
    {
      results: resultsWith(record),
      dns: zone({}),
      now: new Date(`${dayNumber(n)}T03:00:00Z`),
      isRunning: true,
    },
  );
}

const reject = recordOf('p=reject');
const passing = newsletter({ dkim: 'pass', dkimDomains: [owner, 'news.example.net'] });
const rejected = newsletter({ disposition: 'reject' });

/** Reports from day 1 to `last`, with the mail and the policy before the step and since then. */
const reports = (
  last: number,
  since: (n: number) => RecordSummary,
  { from = 'none' as PublishedPolicy['p'], before = passing } = {},
) =>
  history(1, last, (n) => [
    reportFrom('google.com', [ownMail(), n < STEP ? before : since(n)], {
      policy: policy({ p: n < STEP ? from : 'reject' }),
    }),
  ]);

const item = async () => (await changesOn(table).open(domain.id))[0];
const isOpen = async () => (await item())?.kind === 'step-loses-mail';

async function shown() {
  const found = await item();
  if (found === undefined) throw new Error('no item');
  return { ...found, ...textOf(found) };
}

describe('a step to p=reject after which a newsletter is rejected', () => {
  const lossy = (last: number) => reports(last, () => rejected);

  test('opens an item with the record before the step, proven by a simulation', async () => {
    await run(STEP + 1, lossy(STEP), reject);
    expect(await shown()).toMatchObject({
      ...{ kind: 'step-loses-mail', severity: 'critical', since: `${dayNumber(STEP)}T00:00:00.000Z` },
    });
    const { detail } = await shown();
    for (const part of [
      '100 of 100 messages of example.net (100 %, expected 0 %)',
      `publish "${recordOf('p=none')}" at _dmarc.example.org, in place of the present DMARC record.`,
      'it asks receivers to reject 0 and to quarantine 0 of these messages, instead of 100 and 0.',
    ])
      expect(detail).toContain(part);
  });

  test('the record is the one that check runs found before', async () => {
    const former = `v=DMARC1;p=none;pct=100;rua=mailto:${MAILBOX}`;
    const facts = (record: string) => factsOf(resultsWith(record), 'sends-and-receives');
    const { changes } = differenceFrom({ facts: facts(former), scoreBefore: null }, facts(reject));
    const at = `${dayNumber(STEP)}T03:00:00.000Z`;
    await table.transact(
      historyStore(table, { retentionDays: 0 }).writesOf(domain.id, { checks: { at, changes } }),
    );
    await run(STEP + 1, lossy(STEP), reject);
    expect((await shown()).detail).toContain(`publish "${former}" at`);
  });

  test('stays open with newer figures while mail is lost, also after 30 days', async () => {
    for (const n of [1, 2, 29, 30, 31, 40, 60]) await run(STEP + n, lossy(STEP + n - 1), reject);
    expect(stepFacts.parse((await shown()).about.facts)).toMatchObject({
      ...{ day: dayNumber(STEP), to: dayNumber(STEP + 59) },
      ...{ senders: [{ name: 'example.net', messages: 700, lost: 700 }], others: 0 },
    });
  });

  test('names the three senders that lose most, and counts the others', async () => {
    const services = ['a', 'b', 'c', 'd', 'e'].map((name, at) => {
      const domains = { dkimDomains: [`${name}.example`], mailFrom: `${name}.example` };
      return newsletter({ ...domains, sourceIp: `198.51.100.${at + 20}`, count: 100 + at });
    });
    const mail = (n: number) =>
      services.map((one) =>
        n < STEP
          ? { ...one, dkim: 'pass' as const, dkimDomains: [owner, ...one.dkimDomains] }
          : { ...one, disposition: 'reject' as const },
      );
    const days = history(1, STEP, (n) => [
      reportFrom('google.com', [ownMail(), ...mail(n)], {
        policy: policy({ p: n < STEP ? 'none' : 'reject' }),
      }),
    ]);
    const all = decisions([ownMail(), 'approved'], ...services.map((one) => [one, 'approved'] as const));
    await run(STEP + 1, days, reject, table, all);
    const { senders, others } = stepFacts.parse((await shown()).about.facts);
    expect([senders.map(({ name }) => name), others]).toEqual([['e.example', 'd.example', 'c.example'], 2]);
  });

  test('closes when a check finds the record of before, or a weaker one, and not when a lookup fails', async () => {
    await run(STEP + 1, lossy(STEP), reject);
    await run(STEP + 2, lossy(STEP + 1), null);
    expect(await isOpen()).toBe(true);
    await run(STEP + 2, lossy(STEP + 1), recordOf('p=quarantine'));
    expect(await isOpen()).toBe(false);
    await run(STEP + 2, lossy(STEP + 1), reject);
    expect(await isOpen()).toBe(true);
    await run(STEP + 2, lossy(STEP + 1), recordOf('p=none'));
    expect(await isOpen()).toBe(false);
  });

  test('closes when the mail passes again', async () => {
    const fixed = (last: number) => reports(last, (n) => (n < STEP + 5 ? rejected : passing));
    await run(STEP + 6, fixed(STEP + 5), reject);
    expect(await isOpen()).toBe(true);
    await run(STEP + 7, fixed(STEP + 6), reject);
    expect(await isOpen()).toBe(false);
  });

  test.each([
    [1, 'before'],
    [1, 'after'],
  ] as const)('a run that dies at write %i, %s it, is completed by the next one', async (n, when) => {
    const dying = dyingAt(table, n, when);
    await unlessItDies(run(STEP + 1, lossy(STEP), reject, dying));
    expect(dying.died()).toBe(true);
    await Promise.all([run(STEP + 1, lossy(STEP), reject), run(STEP + 1, lossy(STEP), reject)]);
    expect(await changesOn(table).open(domain.id)).toHaveLength(1);
    await unlessItDies(run(STEP + 2, lossy(STEP), recordOf('p=none'), dyingAt(table, n, when)));
    await run(STEP + 2, lossy(STEP), recordOf('p=none'));
    expect(await item()).toBeUndefined();
  });
});

test('after p=quarantine, the item proposes that mail is not rejected', async () => {
  await run(
    STEP + 1,
    reports(STEP, () => rejected, { from: 'quarantine' }),
    reject,
  );
  const { detail } = await shown();
  expect(detail).toContain(`publish "${recordOf('p=quarantine')}" at`);
  expect(detail).toContain('to reject 0 and to quarantine 100 of these messages, instead of 100 and 0.');
});

test.each([
  ['the loss was predicted', reports(STEP, () => rejected, { before: newsletter() })],
  [
    'the mail passes DMARC, so that no record helps',
    reports(STEP, () => ({ ...passing, disposition: 'reject' as const })),
  ],
  [
    'only forged reports show it',
    reports(STEP, () => passing).map(({ day, summaries }) => ({
      day,
      summaries: [
        ...summaries,
        reportFrom('google.com', [rejected], { authenticated: false, policy: policy({ p: 'reject' }) }),
      ],
    })),
  ],
])('no item opens if %s', async (_, days) => {
  await run(STEP + 1, days, reject);
  expect(await item()).toBeUndefined();
});
