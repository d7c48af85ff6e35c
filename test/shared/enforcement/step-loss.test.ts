/** Which approved mail a step to p=reject on day STEP loses beyond what the reports of the 30 days before predicted. */
import { describe, expect, test } from '@jest/globals';
import { measure } from '../../../shared/enforcement/measures.ts';
import { STEP_WINDOW_DAYS, stepLossOf } from '../../../shared/enforcement/step-loss.ts';
import type {
  DaySummary,
  PublishedPolicy,
  RecordSummary,
} from '../../../shared/reports/dmarc/summary/shapes.ts';
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

const TODAY = 100;
const STEP = 90;
const approved = decisions([ownMail(), 'approved'], [newsletter(), 'approved']);

/** Approved mail that fails; since the step, receivers do what it asks for. */
const failing = (count: number, n: number, changes: Partial<RecordSummary> = {}) =>
  newsletter({ count, disposition: n < STEP ? 'none' : 'reject', ...changes });
const passing = (count: number) =>
  newsletter({ count, dkim: 'pass', dkimDomains: [owner, 'news.example.net'] });

type Mail = (n: number) => readonly RecordSummary[];

const days = (
  mail: Mail,
  { reporter = 'google.com', step = STEP, last = TODAY - 1, to = 'reject' as PublishedPolicy['p'] } = {},
) =>
  history(TODAY - STEP_WINDOW_DAYS + 1, last, (n) => [
    reportFrom(reporter, [ownMail(), ...mail(n)], { policy: policy({ p: n < step ? 'none' : to }) }),
  ]);

async function loss(given: readonly DaySummary[], watchedStep: string | null = null) {
  const today = dayNumber(TODAY);
  const options = { domain: owner, decisions: approved, keepsSubdomainPolicy: false, today };
  return stepLossOf(await measure(given, options), { today, watchedStep });
}

const losing = async (given: readonly DaySummary[], watchedStep?: string | null) =>
  (await loss(given, watchedStep))?.senders.map(({ name, lost, messages }) => [name, lost, messages]);

describe('a sender', () => {
  test('that stops passing on the day of the step loses mail that nobody predicted', async () => {
    const given = days((n) => (n < STEP ? [passing(100)] : [failing(40, n), passing(60)]));
    expect(await loss(given)).toEqual({
      ...{ day: dayNumber(STEP), policy: 'reject', previous: 'none', since: dayNumber(STEP) },
      ...{ from: dayNumber(TODAY - 7), to: dayNumber(TODAY - 1) },
      senders: [
        {
          id: expect.stringMatching(/^domain-/),
          ...{ name: 'example.net', messages: 700, lost: 280, lostShare: 40, predictedShare: 0 },
        },
      ],
    });
  });

  test('that fails as often as before loses what was predicted', async () => {
    expect(await loss(days((n) => [failing(40, n), passing(60)]))).toBeNull();
  });

  test('of which ten messages are lost in a week is chance, and eleven are not', async () => {
    const until =
      (count: number): Mail =>
      (n) =>
        n < TODAY - count || n < STEP ? [] : [failing(1, n)];
    const twice: Mail = (n) => (n < STEP ? [] : [failing(n < TODAY - 3 ? 1 : 2, n)]);
    const thrice: Mail = (n) => (n < STEP ? [] : [failing(n < TODAY - 4 ? 1 : 2, n)]);
    expect(await losing(days(until(7)))).toBeUndefined();
    expect(await losing(days(twice))).toBeUndefined();
    expect(await losing(days(thrice))).toEqual([['example.net', 11, 11]]);
  });

  test('that sends once a week still loses mail on the days in between', async () => {
    const sent: Mail = (n) => (n % 7 !== 0 ? [] : n < STEP ? [passing(500)] : [failing(500, n)]);
    expect(await losing(days(sent))).toEqual([['example.net', 500, 500]]);
  });

  test('whose mail passes again for two days loses nothing any more', async () => {
    const fixed =
      (on: number): Mail =>
      (n) =>
        n < STEP || n >= on ? [passing(100)] : [failing(100, n)];
    expect(await losing(days(fixed(TODAY - 1)))).toEqual([['example.net', 600, 700]]);
    expect(await losing(days(fixed(TODAY - 2)))).toBeUndefined();
  });

  test('that receivers spare loses nothing', async () => {
    expect(await losing(days((n) => [failing(100, n, { disposition: 'none' })]))).toBeUndefined();
  });
});

test('mail that an intermediary passed on, of forwarders and of senders without a decision does not count', async () => {
  const others = decisions([ownMail(), 'approved'], [newsletter(), 'forwarder']);
  const today = dayNumber(TODAY);
  const given = days((n) => (n < STEP ? [] : [failing(100, n)]));
  for (const decided of [others, decisions([ownMail(), 'approved'])]) {
    const options = { domain: owner, decisions: decided, keepsSubdomainPolicy: false, today };
    expect(stepLossOf(await measure(given, options), { today, watchedStep: null })).toBeNull();
  }
  const overridden: Mail = (n) => (n < STEP ? [] : [failing(100, n, { overrides: ['forwarded'] })]);
  expect(await losing(days(overridden))).toBeUndefined();
});

describe('reporters', () => {
  const lossy: Mail = (n) => (n < STEP ? [passing(100)] : [failing(100, n)]);
  const clean: Mail = () => [passing(100)];
  const both = (large: Mail, small: Mail) =>
    days(large).map(({ day, summaries }, at) => ({
      day,
      summaries: [...summaries, ...(days(small, { reporter: 'small.example' })[at]?.summaries ?? [])],
    }));

  test('anyone can send reports: those of small ones do not count where large receivers report', async () => {
    expect(await losing(both(clean, lossy))).toBeUndefined();
    expect(await losing(both(lossy, clean))).toEqual([['example.net', 700, 700]]);
  });

  test('those of small ones count where large receivers say nothing', async () => {
    expect(await losing(days(lossy, { reporter: 'small.example' }))).toEqual([['example.net', 700, 700]]);
  });

  test('forged reports say nothing', async () => {
    const forged = days(lossy).map(({ day, summaries }) => ({
      day,
      summaries: summaries.map((one) => ({ ...one, authenticated: false, authenticatedDomain: null })),
    }));
    expect(await losing(forged)).toBeUndefined();
  });
});

describe('a step', () => {
  const lossy =
    (step: number): Mail =>
    (n) =>
      n < step ? [passing(100)] : [failing(100, n, { disposition: 'reject' })];

  test('is watched for 30 days, and longer while it loses mail', async () => {
    const late = days(lossy(TODAY - 31), { step: TODAY - 31 });
    expect(await losing(late)).toBeUndefined();
    expect(await losing(late, dayNumber(TODAY - 31))).toHaveLength(1);
    expect(await losing(late, dayNumber(TODAY - 32))).toBeUndefined();
  });

  test('to a weaker policy, and none at all, lose nothing', async () => {
    const weaker = history(TODAY - STEP_WINDOW_DAYS + 1, TODAY - 1, (n) => [
      reportFrom('google.com', lossy(STEP)(n), { policy: policy({ p: n < STEP ? 'reject' : 'quarantine' }) }),
    ]);
    expect(await loss(weaker)).toBeNull();
    expect(await loss(days(lossy(STEP), { to: 'none' }))).toBeNull();
    expect(await loss([])).toBeNull();
  });
});
