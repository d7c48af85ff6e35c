import { describe, expect, test } from '@jest/globals';
import { measure } from '../../../shared/enforcement/measures.ts';
import { publishedNow } from '../../../shared/enforcement/published-records.ts';
import { type ReadinessInput, readinessOf, thresholds } from '../../../shared/enforcement/readiness.ts';
import { senderGroups, sendersOf } from '../../../shared/enforcement/senders.ts';
import type { SenderStatus, Stage } from '../../../shared/enforcement/shapes.ts';
import { stageOf } from '../../../shared/enforcement/stage.ts';
import { nextRecord } from '../../../shared/protocol/dmarc/next-record.ts';
import type { DaySummary, RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { SenderDecision } from '../../../shared/store/enforcement/decisions.ts';
import {
  dayNumber,
  forwarded,
  history,
  newsletter,
  owner,
  ownMail,
  policy,
  report,
  spoofed,
} from '../../kit/report-history.ts';

const TODAY = 450;
const today = dayNumber(TODAY);

function decisions(
  ...given: readonly (readonly [RecordSummary, SenderStatus])[]
): Map<string, SenderDecision> {
  const { groupOf } = senderGroups(owner);
  return new Map(
    given.map(([record, status]) => [
      groupOf(record).id,
      {
        senderId: groupOf(record).id,
        status,
        note: null,
        envelopeDomains: [],
        changedAt: '2026-01-01T00:00:00Z',
        changedBy: null,
      },
    ]),
  );
}

const approvedOwn = decisions([ownMail(), 'approved']);

const reporters = ['google.com', 'Yahoo', 'Enterprise Outlook', 'fastmail.com'];

/** The same records every day from each of four authenticated reporters. */
function steady(
  records: (n: number) => readonly RecordSummary[],
  { from = 0, p = 'none' as 'none' | 'quarantine' | 'reject' } = {},
): DaySummary[] {
  return history(from, TODAY, (n) =>
    reporters.map((reporter) => report(records(n), { reporter, policy: policy({ p }) })),
  );
}

async function assess(
  days: readonly DaySummary[],
  given: Partial<Omit<ReadinessInput, 'measures' | 'today'>> & { decided?: Map<string, SenderDecision> } = {},
) {
  const { decided = approvedOwn, ...input } = given;
  return readinessOf({
    stage: 'monitoring',
    usageType: 'sends-and-receives',
    attested: { volume: false, seasonalSenders: false, forwardingLoss: false },
    measures: await measure(days, { domain: owner, decisions: decided, today }),
    today,
    ...input,
    published: {
      hasReportAddress: true,
      spfIsPermerror: false,
      brokenKeys: [],
      isAuthorized: () => false,
      isInMxNetwork: () => false,
      ...input.published,
    },
  });
}

/** The names of the rules that do not hold. */
const broken = async (...args: Parameters<typeof assess>) =>
  (await assess(...args)).rule.filter(({ holds }) => !holds).map(({ name }) => name);

const atQuarantine = { p: 'quarantine' } as const;
const stage: Stage = 'quarantine';

describe('a domain whose approved mail passes', () => {
  test('is ready for quarantine, and then for reject', async () => {
    expect(await assess(steady(() => [ownMail()]))).toMatchObject({ ready: true, thin: false, blockers: [] });
    expect(
      await assess(
        steady(() => [ownMail()], atQuarantine),
        { stage },
      ),
    ).toMatchObject({ ready: true });
    expect(await assess([], { stage: 'reject' })).toMatchObject({ ready: true, rule: [] });
    expect(await assess([], { stage: 'no-record' })).toMatchObject({ ready: true, rule: [] });
    expect(await assess([], { stage: 'no-record', published: publishedNow(undefined) })).toMatchObject({
      ...{ ready: false, rule: [{ actual: 'the DMARC record is unknown', holds: false }] },
    });
  });

  test('with spoofers is ready too, and spoofed mail is no blocker', async () => {
    const days = steady((n) => (n === TODAY - 10 ? [ownMail(), spoofed({ count: 500 })] : [ownMail()]));
    expect(await assess(days)).toMatchObject({ ready: true, blockers: [] });
  });
});

describe('thin data', () => {
  test('is not ready', async () => {
    expect(await broken([])).toEqual([
      'Time at the present policy',
      'Days with reports',
      'Authenticated reporters',
      'Messages of approved senders',
      'Approved mail that passes',
    ]);
    const few = history(0, TODAY, (n) => (n % 10 === 0 ? [report([ownMail({ count: 2 })])] : []));
    expect(await broken(few)).toEqual([
      'Days with reports',
      'Authenticated reporters',
      'Messages of approved senders',
    ]);
  });

  test('is ready where the owner attests that there is no other mail, and is called thin', async () => {
    const few = history(0, TODAY, (n) => (n % 10 === 0 ? [report([ownMail({ count: 2 })])] : []));
    const attested = { volume: true, seasonalSenders: false, forwardingLoss: false };
    expect(await assess(few, { attested })).toMatchObject({ ready: true, thin: true });
    // Another attestation that is needed does not make the data thin.
    const year = steady(() => [ownMail()], { ...atQuarantine, from: TODAY - 365 });
    const attestedBoth = { volume: true, seasonalSenders: true, forwardingLoss: false };
    expect(await broken(year, { stage })).toEqual(['Seasonal senders']);
    expect(await assess(year, { stage, attested: attestedBoth })).toMatchObject({ ready: true, thin: false });
    // An attestation says nothing about mail that fails.
    expect(await broken([], { attested })).toContain('Approved mail that passes');
  });

  test('of reporters that are not authenticated does not count', async () => {
    const days = history(0, TODAY, () =>
      reporters.map((reporter) => report([ownMail()], { reporter, authenticated: null })),
    );
    expect(await broken(days)).toEqual(['Authenticated reporters']);
  });
});

describe('each rule', () => {
  test('time at the present policy', async () => {
    const recent = steady((n) => (n < TODAY - 29 ? [] : [ownMail()]), { from: TODAY - 29 });
    expect(await broken(recent)).toEqual(['Time at the present policy']);
    const changed = [
      ...steady(() => [ownMail()]).slice(0, -20),
      ...steady(() => [ownMail()], atQuarantine).slice(-20),
    ];
    expect(await broken(changed, { stage })).toEqual(['Time at the present policy']);
    const measures = await measure(changed, { domain: owner, decisions: approvedOwn, today });
    expect(measures.lastStep).toEqual({
      day: dayNumber(TODAY - 19),
      policy: 'quarantine',
      before: { messages: 30 * 400, lost: 0 },
      since: { messages: 20 * 400, lost: 0 },
    });
  });

  test('reports of at least 21 of 30 days, without the newest 3', async () => {
    const until = (last: number) => steady(() => [ownMail()]).filter(({ day }) => day <= dayNumber(last));
    expect(await broken(until(TODAY - 12))).toEqual([]);
    expect(await broken(until(TODAY - 13))).toEqual(['Days with reports']);
  });

  test('three reporters, one of them large, and for reject none above 90 %', async () => {
    const from = (...names: readonly (readonly [string, number])[]) =>
      history(0, TODAY, () =>
        names.map(([reporter, count]) =>
          report([ownMail({ count })], { reporter, policy: policy(atQuarantine) }),
        ),
      );
    const small = [
      ['a.example', 100],
      ['b.example', 100],
      ['c.example', 100],
    ] as const;
    expect(await broken(from(...small), { stage })).toEqual(['Authenticated reporters']);
    const oneSided = [
      ['google.com', 910],
      ['b.example', 45],
      ['c.example', 45],
    ] as const;
    expect(await broken(from(...oneSided), { stage })).toEqual(['Authenticated reporters']);
    expect(await broken(from(...oneSided))).toEqual([]);
    const two = [
      ['google.com', 100],
      ['Yahoo', 100],
    ] as const;
    expect(await broken(from(...two))).toEqual(['Authenticated reporters']);
  });

  test('300 and 1,000 messages of approved senders', async () => {
    const perDay = (count: number) =>
      history(0, TODAY, () =>
        reporters.map((reporter) => report([ownMail({ count })], { reporter, policy: policy(atQuarantine) })),
      );
    // 30 days and 4 reporters: 240, 360, 960 and 1,080 messages.
    expect(await broken(perDay(2))).toEqual(['Messages of approved senders']);
    expect(await broken(perDay(3))).toEqual([]);
    expect(await broken(perDay(8), { stage })).toEqual(['Messages of approved senders']);
    expect(await broken(perDay(9), { stage })).toEqual([]);
  });

  test('approved mail that passes, in total and of each sender', async () => {
    const decided = decisions([ownMail(), 'approved'], [newsletter(), 'approved']);
    const failing = (count: number) =>
      steady(() => [ownMail({ count: 1000 }), newsletter({ count, dkim: 'fail' })]);
    expect(await broken(failing(1), { decided })).toEqual(['Approved mail that passes']);
    const aligned = newsletter({ dkimDomains: [owner, 'news.example.net'], dkim: 'pass' });
    const signed = steady(() => [ownMail({ count: 1000 }), aligned]);
    expect(await broken(signed, { decided })).toEqual([]);
    const result = await assess(failing(30), { decided });
    expect(result.blockers).toEqual([
      expect.objectContaining({ name: 'example.net', messages: 3600, fix: expect.stringContaining('DKIM') }),
    ]);
  });

  test('aligned DKIM of approved senders, for reject', async () => {
    const unsigned = steady(() => [ownMail({ dkimDomains: [], dkim: 'fail' })], atQuarantine);
    expect(await broken(unsigned)).toEqual([]);
    expect(await broken(unsigned, { stage })).toEqual(['Aligned DKIM of approved senders']);
    expect((await assess(unsigned, { stage })).blockers).toHaveLength(1);
  });

  test('senders without a decision that look legitimate', async () => {
    const name = 'Senders without a decision that look legitimate';
    const once = (record: RecordSummary) =>
      steady((n) => (n === TODAY - 10 ? [ownMail(), record] : [ownMail()]));
    const doubtful = spoofed({ count: 3 });
    expect(await broken(once(doubtful))).toEqual([]);
    const published = { isAuthorized: (address: string) => address === doubtful.sourceIp };
    const input = (of: object) => ({
      published: {
        ...{ hasReportAddress: true, spfIsPermerror: false, brokenKeys: [] },
        ...{ isAuthorized: () => false, isInMxNetwork: () => false },
        ...of,
      },
    });
    expect(await broken(once(doubtful), input(published))).toEqual([name]);
    expect(await broken(once(doubtful), input({ isInMxNetwork: published.isAuthorized }))).toEqual([name]);
    expect(await broken(once(spoofed({ count: 2 })), input(published))).toEqual([]);
    expect(
      await broken(steady((n) => (n > TODAY - 7 && n < TODAY - 3 ? [ownMail(), doubtful] : [ownMail()]))),
    ).toEqual([name]);
    expect(await broken(once(newsletter({ dkimDomains: [owner, 'example.net'], dkim: 'pass' })))).toEqual([
      name,
    ]);
    const decided = decisions([ownMail(), 'approved'], [doubtful, 'unauthorized']);
    expect(await broken(once(doubtful), { decided, ...input(published) })).toEqual([]);
  });

  test('seasonal senders that passed when they were last seen, in a history of 400 days', async () => {
    const quarterly = (passes: boolean) =>
      newsletter({
        sourceIp: '198.51.100.99',
        dkimDomains: passes ? [owner, 'quarterly.example'] : ['quarterly.example'],
        dkim: passes ? 'pass' : 'fail',
      });
    const decided = decisions([ownMail(), 'approved'], [quarterly(false), 'approved']);
    const days = (passes: boolean, from = 0) =>
      steady((n) => (n % 90 === 0 && n < TODAY - 60 ? [ownMail(), quarterly(passes)] : [ownMail()]), {
        ...atQuarantine,
        from,
      });
    expect(await broken(days(true), { decided, stage })).toEqual([]);
    expect(await broken(days(false), { decided, stage })).toEqual(['Seasonal senders']);
    expect((await assess(days(false), { decided, stage })).blockers[0]?.name).toBe('quarterly.example');
    const short = days(true, 100);
    expect(await broken(short, { decided, stage })).toEqual(['Seasonal senders']);
    expect(await broken(short, { decided })).toEqual([]);
    const attested = { volume: false, seasonalSenders: true, forwardingLoss: false };
    expect(await broken(short, { decided, stage, attested })).toEqual([]);
    expect(await broken(days(false, 100), { decided, stage, attested })).toEqual(['Seasonal senders']);
  });

  test('approved mail that forwarders lose, for reject, unless the owner accepts it', async () => {
    const relayed = forwarded({ count: 2 });
    const lost = forwarded({ count: 2, dkimDomains: [], dkim: 'fail', spfResult: 'pass' });
    const decided = decisions([ownMail(), 'approved'], [lost, 'forwarder'], [relayed, 'forwarder']);
    const days = steady(() => [ownMail(), relayed, lost], atQuarantine);
    expect(await broken(days, { decided })).toEqual([]);
    expect(await broken(days, { decided, stage })).toEqual(['Approved mail lost to forwarders and lists']);
    const attested = { volume: false, seasonalSenders: false, forwardingLoss: true };
    expect(await broken(days, { decided, stage, attested })).toEqual([]);
    expect(
      await broken(
        steady(() => [ownMail({ count: 1000 }), lost], atQuarantine),
        { decided, stage },
      ),
    ).toEqual([]);
  });

  test('a mailing list that rewrites From sends no mail of the domain', async () => {
    const rewriting = ownMail({
      dkimDomains: ['lists.example'],
      overrides: ['mailing_list'],
      dkim: 'fail',
      spf: 'fail',
      mailFrom: 'lists.example',
      count: 1,
    });
    const before = steady((n) => (n < TODAY - 100 ? [ownMail(), rewriting] : [ownMail()]), atQuarantine);
    expect(await broken(before, { stage })).toEqual([]);
  });

  test('records published now', async () => {
    const days = steady(() => [ownMail()]);
    const name = 'Records published now';
    const base = { isAuthorized: () => false, isInMxNetwork: () => false };
    const fine = { ...base, hasReportAddress: true, spfIsPermerror: false, brokenKeys: [] };
    expect(await broken(days, { published: fine })).toEqual([]);
    for (const hasReportAddress of [false, null]) {
      expect(await broken(days, { published: { ...fine, hasReportAddress } })).toEqual([name]);
    }
    expect(await broken(days, { published: { ...fine, spfIsPermerror: true } })).toEqual([name]);
    expect(await broken(days, { published: { ...fine, spfIsPermerror: null } })).toEqual([name]);
    expect(await broken(days, { published: { ...fine, brokenKeys: ['s1'] } })).toEqual([name]);
  });
});

describe('a domain that sends no mail', () => {
  test('is ready for reject at once, unless authenticated reports show aligned mail', async () => {
    const spoofedOnly = steady(() => [spoofed()]);
    for (const usageType of ['parked', 'receives-only'] as const) {
      expect(await assess(spoofedOnly, { usageType })).toMatchObject({ ready: true, blockers: [] });
      expect(
        await assess(
          steady(() => [ownMail()]),
          { usageType, decided: new Map() },
        ),
      ).toMatchObject({ ready: false });
    }
  });
});

describe('senders', () => {
  test('that are approved providers block with mail without a sign of the tenant only if that looks legitimate', async () => {
    const signed = ownMail({ dkimDomains: ['amazonses.com', owner], mailFrom: 'eu-west-1.amazonses.com' });
    const unsigned = { ...signed, dkimDomains: ['amazonses.com'], dkim: 'fail', spf: 'fail' } as const;
    const decided = decisions([signed, 'approved']);
    const rare = steady((n) => (n === TODAY - 10 ? [signed, unsigned] : [signed]));
    expect(await broken(rare, { decided })).toEqual([]);
    const regular = steady(() => [signed, unsigned]);
    expect(await broken(regular, { decided })).toEqual(['Senders without a decision that look legitimate']);
  });

  test('have ids that fit into a path, and suggestions that need two signs', async () => {
    const days = history(0, 9, (n) => [
      report([
        ownMail(),
        forwarded({ overrides: n === 0 ? ['forwarded'] : [] }),
        forwarded({ mailFrom: 'one-sign.example' }),
        spoofed({ sourceIp: null, mailFrom: null }),
        spoofed({ sourceIp: '2001:db8:1:2::3', mailFrom: null }),
      ]),
    ]);
    const senders = await sendersOf(owner, days, new Map());
    for (const { id } of senders) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(senders.map(({ name, suggestion }) => [name, suggestion]).toSorted()).toEqual([
      ['192.0.2.0/24', null],
      ['2001:db8:1::/48', null],
      ['forwarder.example', 'forwarder'],
      ['one-sign.example', null],
      ['unknown', null],
    ]);
    expect(senders[0]).toMatchObject({ firstSeen: dayNumber(0), lastSeen: dayNumber(9), messages: 1000 });
  });
});

describe('the next record', () => {
  const step = (text: string | null, target: 'none' | 'quarantine' | 'reject', policyDomain = owner) => [
    stageOf({ text, policyDomain }, owner),
    nextRecord({ text, policyDomain }, { domain: owner, mailbox: 'box@reports.example', target }),
  ];

  test('keeps what the step does not concern', async () => {
    expect(step('v=DMARC1; p=none; rua=mailto:a@b.example; adkim=s', 'quarantine')).toEqual([
      'monitoring',
      'v=DMARC1; p=quarantine; rua=mailto:a@b.example; adkim=s',
    ]);
    const toReject = 'v=DMARC1; p=reject; rua=mailto:a@b.example';
    for (const tags of ['p=reject; t=y', 'p=quarantine; pct=20']) {
      expect(step(`v=DMARC1; ${tags}; rua=mailto:a@b.example`, 'reject')).toEqual(['quarantine', toReject]);
    }
    expect(step('v=DMARC1; p=reject', 'reject')).toEqual(['reject', null]);
    expect(step('v=DMARC1; p=reject; sp=none', 'quarantine', 'example')).toEqual([
      'monitoring',
      'v=DMARC1; p=quarantine; rua=mailto:box@reports.example',
    ]);
  });

  test.each([
    [null, 'v=DMARC1; p=none; rua=mailto:box@reports.example'],
    ['v=DMARC1; p=none; fo=1', 'v=DMARC1; p=none; fo=1; rua=mailto:box@reports.example'],
    ['v=DMARC1; p=none; rua=box', 'v=DMARC1; p=none; rua=mailto:box@reports.example'],
  ])('asks for reports: %j', (text, next) => {
    expect(step(text, 'none')[1]).toBe(next);
  });
});

test('thresholds never fall from quarantine to reject', async () => {
  for (const [name, value] of Object.entries(thresholds.quarantine)) {
    const atReject = thresholds.reject[name as keyof typeof thresholds.reject];
    const isLimit = ['reporterShare', 'unclassifiedMessages', 'forwardingLoss'].includes(name);
    expect(isLimit ? atReject <= value : atReject >= value).toBe(true);
  }
});
