import { describe, expect, test } from '@jest/globals';
import { noPolicy, termsOfRecord } from '../../../shared/enforcement/policy-terms.ts';
import { sendersOf } from '../../../shared/enforcement/senders.ts';
import type { Simulation } from '../../../shared/enforcement/shapes.ts';
import { type SimulationRequest, simulate } from '../../../shared/enforcement/simulate.ts';
import { spfPredictor } from '../../../shared/enforcement/spf-prediction.ts';
import { parseDmarcRecord } from '../../../shared/protocol/dmarc/record.ts';
import { fold } from '../../../shared/reports/dmarc/summary/encoding.ts';
import type { DaySummary, RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { SenderDecision } from '../../../shared/store/enforcement/decisions.ts';
import { random } from '../../kit/random.ts';
import { dayNumber, history, owner, ownMail, policy, report, spoofed } from '../../kit/report-history.ts';
import { zone } from '../../kit/zone.ts';

const now = new Date('2026-11-01T00:00:00Z');

function recordOf(dmarc: string | null, spf: string | null = null) {
  const parsed = dmarc === null ? undefined : parseDmarcRecord(dmarc);
  if (parsed?.ok === false) throw new Error(`not a record: ${dmarc}`);
  return { dmarc, spf, terms: parsed === undefined ? noPolicy : termsOfRecord(parsed.record) };
}

interface Given {
  readonly current?: string | null;
  readonly proposed?: string | null;
  readonly spf?: readonly [current: string, proposed: string];
  readonly exists?: SimulationRequest['exists'];
  readonly decisions?: ReadonlyMap<string, SenderDecision>;
}

async function simulated(
  days: readonly DaySummary[],
  { current = 'v=DMARC1; p=none', proposed, spf, exists = () => true, decisions = new Map() }: Given,
): Promise<Simulation> {
  const predictor = async (record: string, isProposal: boolean) =>
    (await spfPredictor(owner, record, { dns: zone({}), isProposal, now })).predict;
  return simulate(days, {
    domain: owner,
    window: { from: dayNumber(0), to: dayNumber(29) },
    decisions,
    current: recordOf(current, spf?.[0]),
    proposed: recordOf(proposed === undefined ? current : proposed, spf?.[1]),
    spf: spf ? { current: await predictor(spf[0], false), proposed: await predictor(spf[1], true) } : null,
    exists,
  });
}

const dayOf = (...records: RecordSummary[]): DaySummary[] => [
  { day: dayNumber(0), summaries: [report(records)] },
];

describe('a simulation', () => {
  test('lowers a policy in test mode by one step, and ignores pct, but not for reporters of RFC 7489', async () => {
    const days = [
      {
        day: dayNumber(0),
        summaries: [
          report([spoofed({ count: 3 })]),
          report([spoofed({ count: 10 })], { specification: 'RFC 9990' }),
        ],
      },
    ];
    const testing = await simulated(days, { proposed: 'v=DMARC1; p=reject; t=y' });
    expect(testing.summary.proposed).toEqual({ none: 0, quarantine: 13, reject: 0 });
    expect(testing.summary.legacy).toEqual({ messages: 3, none: 0, quarantine: 0, reject: 3 });
    const partial = await simulated(days, { proposed: 'v=DMARC1; p=reject; pct=50' });
    expect(partial.summary.proposed).toEqual({ none: 0, quarantine: 0, reject: 13 });
    // 1.5 of 3, rounded half up.
    expect(partial.summary.legacy).toEqual({ messages: 3, none: 0, quarantine: 1, reject: 2 });
    const partQuarantine = await simulated(days, { proposed: 'v=DMARC1; p=quarantine; pct=0' });
    expect(partQuarantine.summary.legacy).toEqual({ messages: 3, none: 3, quarantine: 0, reject: 0 });
  });

  test('calculates alignment anew only where the proposal changes its mode', async () => {
    const subdomain = ownMail({ dkimDomains: ['mail.example.org'], mailFrom: 'bounce.example.org' });
    const { summary, senders } = await simulated(dayOf(subdomain), {
      proposed: 'v=DMARC1; p=none; adkim=s; aspf=s',
    });
    expect(summary.passing).toEqual({ current: 100, proposed: 0 });
    expect(senders[0]?.reasons).toEqual(['dkim-alignment', 'spf-alignment']);
    // The reporter's result stays where the mode is the reporter's, even if the listed domains don't explain it.
    const unexplained = ownMail({ dkimDomains: [], mailFrom: null, spfResult: null });
    const same = await simulated(dayOf(unexplained), { proposed: 'v=DMARC1; p=reject' });
    expect(same.summary.passing.proposed).toBe(100);
  });

  test('applies sp and np to subdomains, and says where their existence is unknown', async () => {
    const days = dayOf(
      spoofed({ headerFrom: 'real.example.org', count: 1 }),
      spoofed({ headerFrom: 'invented.example.org', count: 2 }),
      spoofed({ headerFrom: 'unknown.example.org', count: 4 }),
      spoofed({ count: 8 }),
    );
    const exists = (name: string) => (name.startsWith('unknown') ? null : name.startsWith('real.'));
    const proposed = 'v=DMARC1; p=none; sp=quarantine; np=reject';
    const { summary, unpredictable } = await simulated(days, { proposed, exists });
    expect(summary.proposed).toEqual({ none: 8, quarantine: 5, reject: 2 });
    expect(unpredictable).toEqual([{ reason: 'subdomain-unknown', messages: 4 }]);
    expect(summary.legacy).toEqual({ messages: 15, none: 8, quarantine: 7, reject: 0 });
  });

  test('keeps the policy of a subdomain with a record of its own', async () => {
    const mails = [
      spoofed({ headerFrom: 'own.example.org' }),
      spoofed({ headerFrom: 'below.own.example.org', count: 3 }),
    ];
    const own = report(mails, {
      policy: policy({ domain: 'own.example.org', p: 'quarantine', sp: 'none' }),
    });
    const { summary } = await simulated([{ day: dayNumber(0), summaries: [own] }], {
      proposed: 'v=DMARC1; p=reject',
    });
    const kept = { none: 3, quarantine: 100, reject: 0 };
    expect(summary).toMatchObject({ current: kept, proposed: kept });
  });

  test('predicts the results of a proposed SPF record for mail with the domain in MAIL FROM', async () => {
    const unsigned = { dkimDomains: [], dkim: 'fail' } as const;
    const days = dayOf(
      ownMail({ ...unsigned, count: 1 }),
      ownMail({ ...unsigned, sourceIp: '198.51.100.1', spfResult: 'fail', spf: 'fail', count: 2 }),
      ownMail({ ...unsigned, mailFrom: 'bounce.example.org', count: 4 }),
      // The record of today does not explain this pass.
      ownMail({ ...unsigned, sourceIp: '203.0.113.1', count: 8 }),
      ownMail({ ...unsigned, sourceIp: null, count: 16 }),
    );
    const { summary, unpredictable, senders } = await simulated(days, {
      proposed: 'v=DMARC1; p=reject',
      spf: ['v=spf1 ip4:192.0.2.0/24 -all', 'v=spf1 ip4:198.51.100.0/24 -all'],
    });
    expect(summary.passing).toEqual({ current: 29, proposed: 30 });
    expect(summary.proposed).toEqual({ none: 30, quarantine: 0, reject: 1 });
    expect(unpredictable).toEqual([
      { reason: 'no-address', messages: 16 },
      { reason: 'spf-not-explained', messages: 8 },
    ]);
    expect(senders.find(({ name }) => name === '198.51.100.0/24')?.reasons).toEqual(['spf-record']);
  });

  test('sums what is not listed, so that nothing is missing', async () => {
    const days = dayOf(
      ...Array.from({ length: 130 }, (_, n) =>
        ownMail({
          ...{ dkimDomains: [], dkim: 'fail', count: 200 - n, sourceIp: `198.51.${n}.1` },
          ...(n % 3 === 0 && { spfResult: 'fail', spf: 'fail' }),
        }),
      ),
    );
    const { summary, senders, others, unpredictable } = await simulated(days, {
      current: 'v=DMARC1; p=quarantine',
      proposed: 'v=DMARC1; p=reject',
      // Neither explains a pass, nor a failure.
      spf: ['v=spf1 -all', 'v=spf1 ip4:198.51.0.0/16 -all'],
    });
    const figuresOf = ({ messages, passing, current, proposed }: Omit<typeof others, 'unpredictable'>) => [
      ...[messages, passing.current, passing.proposed, current.none, current.quarantine, current.reject],
      ...[proposed.none, proposed.quarantine, proposed.reject],
    ];
    const sums = figuresOf(others).map((figure, n) =>
      senders.reduce((sum, sender) => sum + (figuresOf(sender)[n] ?? Number.NaN), figure),
    );
    expect(sums).toEqual(figuresOf(summary));
    const unsure = [others, ...senders].map((one) => one.unpredictable);
    expect(unsure.reduce((sum, one) => sum + one)).toBe(
      unpredictable.reduce((sum, { messages }) => sum + messages, 0),
    );
    expect([senders.length, others.unpredictable > 200, others.proposed.none > 200]).toEqual([
      ...[100, true, true],
    ]);
  });
});

/** Random days: every kind of record, policy and reporter, also those that folding leaves. */
function randomDays(seed: number): DaySummary[] {
  const next = random(seed);
  const one = <T>(...values: readonly T[]): T => values[next(values.length)] as T;
  const record = (): RecordSummary => {
    const dkimDomains =
      [['example.org'], ['mail.example.org'], ['example.net', 'example.org'], []][next(4)] ?? [];
    const mailFrom = one('example.org', 'mail.example.org', 'example.net', null);
    const spfResult = one('pass', 'pass', 'fail', 'none', 'softfail');
    const headerFrom = one('example.org', 'example.org', 'sub.example.org');
    const isDkim = dkimDomains.some((name) => name.endsWith('example.org'));
    const isSpf = spfResult === 'pass' && (mailFrom?.endsWith('example.org') ?? false);
    return {
      sourceIp: one(`192.0.2.${next(40)}`, `198.51.100.${next(40)}`, `203.0.113.${next(40)}`, '2001:db8::1'),
      headerFrom,
      dkimDomains,
      mailFrom,
      spfResult,
      dkim: isDkim ? 'pass' : 'fail',
      spf: isSpf ? 'pass' : 'fail',
      disposition: one('none', 'quarantine', 'reject'),
      overrides: one([], [], ['forwarded'], ['mailing_list']),
      count: 1 + next(20),
    };
  };
  return history(0, 5, (n) =>
    ['google.com', 'yahoo.com'].map((reporter) =>
      report(Array.from({ length: 30 }, record), {
        reporter,
        specification: n % 2 === 0 ? 'RFC 7489' : 'RFC 9990',
      }),
    ),
  );
}

const sum = ({ none, quarantine, reject }: { none: number; quarantine: number; reject: number }) =>
  none + quarantine + reject;

describe('of random reports', () => {
  const seeds = [1, 2, 3, 4, 5];

  test.each(seeds)('%i: all sums equal the messages of the window', async (seed) => {
    const days = randomDays(seed);
    const result = await simulated(days, { proposed: 'v=DMARC1; p=quarantine; sp=reject; pct=30' });
    const senders = await sendersOf(owner, days, new Map());
    const messages = senders.reduce((total, one) => total + one.messages, 0);
    const { summary, others } = result;
    expect([summary.messages, sum(summary.current), sum(summary.proposed), sum(summary.observed)]).toEqual(
      Array(4).fill(messages),
    );
    expect(sum(summary.legacy)).toBe(summary.legacy.messages);
    const listed = result.senders.reduce((total, one) => total + one.messages, 0);
    expect(listed + others.messages).toBe(messages);
    expect(result.basis.messages).toBe(messages);
  });

  test.each(seeds)('%i: a stricter policy never passes more and never delivers more', async (seed) => {
    const days = randomDays(seed);
    const steps = [
      'v=DMARC1; p=none',
      'v=DMARC1; p=quarantine; t=y',
      'v=DMARC1; p=quarantine',
      'v=DMARC1; p=reject',
      'v=DMARC1; p=reject; aspf=s',
      'v=DMARC1; p=reject; aspf=s; adkim=s',
    ];
    const results = [];
    for (const proposed of steps) results.push((await simulated(days, { proposed })).summary);
    for (const [index, after] of results.entries()) {
      const before = results[index - 1];
      if (before === undefined) continue;
      expect(after.passing.proposed).toBeLessThanOrEqual(before.passing.proposed);
      expect(after.proposed.none).toBeLessThanOrEqual(before.proposed.none);
    }
  });

  test.each(seeds)('%i: a proposal that equals the published records changes nothing', async (seed) => {
    const current = 'v=DMARC1; p=quarantine; adkim=s';
    const record = 'v=spf1 ip4:192.0.2.0/24 -all';
    const { summary, senders } = await simulated(randomDays(seed), {
      current,
      proposed: current,
      spf: [record, record],
    });
    expect(summary.passing.proposed).toBe(summary.passing.current);
    expect(summary.proposed).toEqual(summary.current);
    expect(senders.flatMap(({ reasons }) => reasons)).toEqual([]);
  });

  test.each(seeds)('%i: folding within the bound changes no DMARC figure', async (seed) => {
    const days = randomDays(seed);
    const foldedDays = days.map(({ day, summaries }) => ({ day, summaries: fold(summaries, 760).summaries }));
    const kept = foldedDays.flatMap(({ summaries }) => summaries.flatMap(({ records }) => records));
    expect(kept.some(({ sourceIp }) => sourceIp === null)).toBe(true);
    for (const proposed of [
      'v=DMARC1; p=reject',
      'v=DMARC1; p=quarantine; adkim=s; aspf=s',
      'v=DMARC1; p=reject; pct=10',
    ]) {
      const [whole, folded] = await Promise.all([
        simulated(days, { proposed }),
        simulated(foldedDays, { proposed }),
      ]);
      expect(folded.summary).toEqual(whole.summary);
    }
  });
});
