/** The policy that a domain is ready for, as plans of changes know it. */

import { beforeEach, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { keepNextPolicy, nextPolicyOf } from '../../../shared/enforcement/next-policy.ts';
import { senderGroups } from '../../../shared/enforcement/senders.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { decisionStore } from '../../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../../shared/store/enforcement/next-policies.ts';
import { reporters } from '../../kit/readiness.ts';
import { dayNumber, history, ownMail, policy, reportFrom } from '../../kit/report-history.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { assessmentDependencies } from '../../kit/watch.ts';

const HOUR = 3_600_000;
const TODAY = 60;
const RECORD = 'v=DMARC1; p=none; rua=mailto:a@example.org';

let domain: Domain;
let now: Date;
let results: CheckResults;
/** How often the reports of the domain were read. */
let assessed: number;

const table = await useTable();

beforeEach(async () => {
  const registered = await registeredDomain(table);
  domain = { ...registered, usageType: 'sends-and-receives' };
  now = new Date(`${dayNumber(TODAY)}T12:00:00Z`);
  assessed = 0;
  results = published(RECORD);
  await decide('approved', '2026-01-02T00:00:00Z');
  await checkStore(table).keep(domain, { checkedAt: now.toISOString(), results });
});

function published(record: string, given: Partial<CheckResults['dmarc']> = {}): CheckResults {
  const { dmarc, ...others } = perfectResults('sends-and-receives');
  const rua = ['mailto:a@example.org'];
  return { ...others, dmarc: { ...dmarc, record, policyDomain: 'example.org', rua, ...given } };
}

function decide(status: 'approved' | 'unauthorized', changedAt: string, before?: string) {
  const senderId = senderGroups('example.org').groupOf(ownMail()).id;
  const decision = { senderId, note: null, changedBy: null };
  return decisionStore(table).decide(
    domain,
    { ...decision, status, changedAt },
    before === undefined ? undefined : { ...decision, status: 'approved', changedAt: before },
  );
}

const days = history(0, TODAY, () =>
  reporters.map((reporter) => reportFrom(reporter, [ownMail()], { policy: policy({ p: 'none' }) })),
);

function dependencies() {
  const all = assessmentDependencies(
    table,
    () => days,
    () => now,
  );
  const eachDay = () => {
    assessed += 1;
    return all.summaries.eachDay();
  };
  return { ...all, summaries: { ...all.summaries, eachDay } };
}

const keep = () => keepNextPolicy(domain, dependencies());
const next = (of = results) => nextPolicyOf(domain, of, dependencies(), now);
const later = (hours: number) => new Date(now.getTime() + hours * HOUR);

test('is known once reports were assessed, and read without reading reports', async () => {
  expect(await next()).toBeNull();
  await keep();
  expect([await next(), assessed]).toEqual(['quarantine', 1]);
});

test('is assessed again after 20 hours, or after a decision', async () => {
  await keep();
  now = later(19);
  await keep();
  expect(assessed).toBe(1);
  now = later(2);
  await keep();
  expect(assessed).toBe(2);
  await decide('unauthorized', now.toISOString(), '2026-01-02T00:00:00Z');
  expect(await next()).toBeNull();
  await keep();
  expect([await next(), assessed]).toEqual([null, 3]);
});

test('does not hold for longer than two days without reports', async () => {
  await keep();
  now = later(47);
  expect(await next()).toBe('quarantine');
  now = later(1);
  expect(await next()).toBeNull();
});

test.each([
  ['another record', published('v=DMARC1; p=none; adkim=s; rua=mailto:a@example.org')],
  ['a record without an address for reports', published(RECORD, { rua: [] })],
  ['only addresses that reports do not reach', published(RECORD, { ruaUsable: false })],
  ['no DKIM key', { ...published(RECORD), dkim: { state: 'absent' as const, findings: [], selectors: [] } }],
  [
    'an invalid SPF record',
    { ...published(RECORD), spf: { ...published(RECORD).spf, valid: false, state: 'fail' as const } },
  ],
])('does not hold for %s in the latest check', async (_, of) => {
  await keep();
  expect(await next(of)).toBeNull();
});

test('is none for a domain that rejects already', async () => {
  results = published('v=DMARC1; p=reject; rua=mailto:a@example.org', { policy: 'reject' });
  await checkStore(table).keep(domain, { checkedAt: later(1).toISOString(), results });
  await keep();
  expect(await next()).toBeNull();
});

test('is not stored for a domain that was removed', async () => {
  await keepNextPolicy({ ...domain, id: 'gone' }, dependencies());
  expect(await nextPolicyStore(table).get('gone')).toBeUndefined();
});
