import { describe, expect, test } from '@jest/globals';
import { factsOf } from '../../../shared/alerts/facts.ts';
import { differenceFrom } from '../../../shared/alerts/history.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { UsageType } from '../../../shared/checks/state.ts';
import { assessReadiness } from '../../../shared/enforcement/assess.ts';
import { senderGroups, sendersOf } from '../../../shared/enforcement/senders.ts';
import type { SenderStatus } from '../../../shared/enforcement/shapes.ts';
import { stageOf } from '../../../shared/enforcement/stage.ts';
import { thresholds } from '../../../shared/enforcement/thresholds.ts';
import { nextRecord } from '../../../shared/protocol/dmarc/next-record.ts';
import type {
  DaySummary,
  PublishedPolicy,
  RecordSummary,
} from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { ChecksEntry } from '../../../shared/store/check-runs/history.ts';
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
  reportFrom,
  spoofed,
} from '../../kit/report-history.ts';
import { perfectResults } from '../../kit/results.ts';

const TODAY = 450;
const now = new Date(`${dayNumber(TODAY)}T12:00:00Z`);

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

const reporters = ['google.com', 'dmarc.yahoo.com', 'microsoft.com', 'fastmaildmarc.com'];

/** The same records every day from each of four authenticated reporters. */
function steady(
  records: (n: number) => readonly RecordSummary[],
  { from = 0, ...published }: { from?: number } & Partial<PublishedPolicy> = {},
): DaySummary[] {
  return history(from, TODAY, (n) =>
    reporters.map((domain) => reportFrom(domain, records(n), { policy: policy(published) })),
  );
}

/** The days of `first` before day `n`, and those of `second` from then on. */
const switched = (n: number, first: readonly DaySummary[], second: readonly DaySummary[]): DaySummary[] => [
  ...first.filter(({ day }) => day < dayNumber(n)),
  ...second.filter(({ day }) => day >= dayNumber(n)),
];

interface Given {
  readonly record?: string;
  readonly results?: (perfect: CheckResults) => Partial<CheckResults>;
  /** Whether there was a check run. */
  readonly isChecked?: boolean;
  readonly entries?: readonly ChecksEntry[];
  readonly keptFrom?: string;
  readonly usageType?: UsageType;
  readonly usedSelectors?: readonly string[];
  readonly decided?: ReadonlyMap<string, SenderDecision>;
  readonly attested?: readonly ('volume' | 'seasonalSenders' | 'forwardingLoss')[];
}

const recordWith = (tags: string): string => `v=DMARC1; ${tags}; rua=mailto:a@example.org`;

async function assessed(days: readonly DaySummary[], given: Given = {}) {
  const { record = recordWith('p=none'), usageType = 'sends-and-receives', isChecked = true } = given;
  const perfect = perfectResults('sends-and-receives');
  const dmarc = { ...perfect.dmarc, record, rua: ['mailto:a@example.org'] };
  const results = { ...perfect, dmarc, ...given.results?.({ ...perfect, dmarc }) };
  const attestation = { at: '2026-01-01T00:00:00Z', by: null };
  const attested = (name: 'volume' | 'seasonalSenders' | 'forwardingLoss') =>
    given.attested?.includes(name) ? attestation : null;
  return assessReadiness(
    { id: 'd', domain: owner, usageType },
    {
      summaries: {
        readSummaries: async () => days.slice(-30),
        async *eachDay() {
          yield* days;
        },
      },
      decisions: {
        list: async () => given.decided ?? approvedOwn,
        attestations: async () => ({
          volume: attested('volume'),
          seasonalSenders: attested('seasonalSenders'),
          forwardingLoss: attested('forwardingLoss'),
        }),
        decide: async () => 'changed',
        attest: async () => 'changed',
      },
      checks: {
        latest: async () => (isChecked ? { checkedAt: now.toISOString(), results } : undefined),
        latestWithLookups: async () => undefined,
        keep: async () => true,
      },
      history: {
        checks: async () => ({ entries: [...(given.entries ?? [])], hasMore: false }),
        keptFrom: () => given.keptFrom ?? null,
      },
      selectors: { provenSince: async () => [...(given.usedSelectors ?? [])] },
      clock: { now: () => now },
    },
  );
}

const assess = async (...args: Parameters<typeof assessed>) => (await assessed(...args)).readiness;

/** The names of the rules that do not hold. */
const broken = async (...args: Parameters<typeof assess>) =>
  (await assess(...args)).rule.filter(({ holds }) => !holds).map(({ name }) => name);

const rule = async (name: string, ...args: Parameters<typeof assess>) =>
  (await assess(...args)).rule.find((one) => one.name === name);

const atQuarantine = { p: 'quarantine' } as const;
const record = recordWith('p=quarantine');

describe('a domain whose approved mail passes', () => {
  test('is ready for quarantine, and then for reject', async () => {
    expect(await assess(steady(() => [ownMail()]))).toMatchObject({ ready: true, thin: false, blockers: [] });
    expect(
      await assess(
        steady(() => [ownMail()], atQuarantine),
        { record },
      ),
    ).toMatchObject({ ready: true });
    expect(await assess([], { record: recordWith('p=reject') })).toMatchObject({ ready: true, rule: [] });
    const none = ({ dmarc }: CheckResults) => ({
      dmarc: { ...dmarc, record: null, policyDomain: null, state: 'absent' as const },
    });
    expect(await assess([], { results: none })).toMatchObject({ ready: true, rule: [] });
    expect(await assess([], { isChecked: false })).toMatchObject({
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
    expect(await assess(few, { attested: ['volume'] })).toMatchObject({ ready: true, thin: true });
    // Another attestation that is needed does not make the data thin.
    const year = steady(() => [ownMail()], { ...atQuarantine, from: TODAY - 365 });
    expect(await broken(year, { record })).toEqual(['Seasonal senders']);
    expect(await assess(year, { record, attested: ['volume', 'seasonalSenders'] })).toMatchObject({
      ...{ ready: true, thin: false },
    });
    // An attestation says nothing about mail that fails.
    expect(await broken([], { attested: ['volume'] })).toContain('Approved mail that passes');
  });
});

describe('time at the published policy', () => {
  const name = 'Time at the present policy';
  const days = async (...args: Parameters<typeof assess>) => (await rule(name, ...args))?.actual;
  const none = steady(() => [ownMail()]);
  const quarantine = steady(() => [ownMail()], atQuarantine);

  const factsWith = (text: string) => {
    const perfect = perfectResults('sends-and-receives');
    return factsOf({ ...perfect, dmarc: { ...perfect.dmarc, record: text } }, 'sends-and-receives');
  };

  /** The entry of a check run that found `after` in place of `before` (null: the first check run), this many days ago. */
  const changed = (ago: number, before: string | null, after: string): ChecksEntry => ({
    at: `${dayNumber(TODAY - ago)}T06:00:00Z`,
    changes: differenceFrom(
      before === null ? undefined : { facts: factsWith(before), scoreBefore: null },
      factsWith(after),
    ).changes,
  });

  test('is counted in complete days whose reports show it', async () => {
    const from = (ago: number) => steady(() => [ownMail()], { from: TODAY - ago });
    expect([await days(from(29)), await broken(from(29))]).toEqual(['29 days', [name]]);
    expect([await days(from(30)), await broken(from(30))]).toEqual(['30 days', []]);
  });

  test('is none for p=quarantine that was published today, after 450 days of p=none', async () => {
    expect(await days(none)).toBe('450 days');
    expect(await days(none, { record })).toBe('0 days');
    expect(await broken(none, { record })).toEqual([name]);
    const entries = [changed(0, recordWith('p=none'), record), changed(400, null, recordWith('p=none'))];
    expect(await days(none, { record, entries })).toBe('0 days');
    expect(await days([], { record, entries })).toBe('0 days');
  });

  test('is that of the last 20 days, and the step before them is compared', async () => {
    const since = switched(TODAY - 19, none, quarantine);
    expect(await days(since, { record })).toBe('19 days');
    expect((await assessed(since, { record })).measures.lastStep).toEqual({
      day: dayNumber(TODAY - 19),
      policy: 'quarantine',
      before: { messages: 30 * 400, lost: 0 },
      since: { messages: 20 * 400, lost: 0 },
    });
  });

  test.each([
    ['p=quarantine; pct=0', { p: 'quarantine', pct: 0 }],
    ['p=quarantine; pct=99', { p: 'quarantine', pct: 99 }],
    ['p=reject; t=y', { p: 'reject', testing: true }],
    ['p=quarantine; t=y', { p: 'quarantine', testing: true }],
  ] as const)(
    '%s for 60 days is no time at quarantine, and leads to quarantine in full first',
    async (tags, terms) => {
      const partly = switched(
        TODAY - 60,
        none,
        steady(() => [ownMail()], terms),
      );
      const { readiness, target } = await assessed(partly, { record: recordWith(tags) });
      expect([readiness.ready, target]).toEqual([true, 'quarantine']);
      // In full since yesterday.
      const full = switched(TODAY - 1, partly, quarantine);
      expect([await broken(full, { record }), await days(full, { record })]).toEqual([[name], '1 days']);
      expect((await assessed(full, { record })).target).toBe('reject');
    },
  );

  test('does not depend on pct and t where they change nothing', async () => {
    const pct = switched(
      TODAY - 60,
      none,
      steady(() => [ownMail()], { pct: 50 }),
    );
    expect(await days(pct)).toBe('450 days');
  });

  test('begins anew after a rollback, whoever noticed it', async () => {
    const rollback = switched(TODAY - 60, quarantine, switched(TODAY - 31, none, quarantine));
    expect(await days(rollback, { record })).toBe('31 days');
    // Reports of every tenth day do not show a rollback of two days; check runs do.
    const rare = quarantine.map(({ day, summaries }, n) => ({
      day,
      summaries: n % 10 === 0 ? summaries : [],
    }));
    const entries = [
      changed(21, recordWith('p=none'), record),
      changed(23, record, recordWith('p=none')),
      changed(400, null, record),
    ];
    expect(await days(rare, { record, entries })).toBe('21 days');
  });

  test('is known from check runs where there are no reports', async () => {
    const rare = quarantine.map(({ day, summaries }, n) => ({
      day,
      summaries: n % 10 === 0 ? summaries : [],
    }));
    expect(await days(rare, { record })).toBe('45 days');
    expect(await days(rare, { record, entries: [changed(100, null, record)] })).toBe('135 days');
    // The entry of the first check run has expired.
    expect(await days([], { record, keptFrom: dayNumber(TODAY - 90) })).toBe('90 days');
    expect(await days([], { record })).toBe('0 days');
    // A change that keeps the policy, a record that the history shortened, and a change of another check.
    const entries = [
      changed(10, `${record}; fo=1`, record),
      changed(20, `${record}; fo=${'1:'.repeat(150)}1; pct=9`, `${record}; fo=1`),
    ];
    expect(await days([], { record, entries })).toBe('20 days');
    expect(await days([], { record, entries: [changed(9, `${record}; pct=20`, record)] })).toBe('9 days');
  });

  test('cannot be changed by small reporters where large receivers or check runs know better', async () => {
    const forged = (p: 'none' | 'quarantine') =>
      reportFrom('forger.example', [ownMail({ count: 1_000_000 })], { policy: policy({ p }) });
    const also = (of: readonly DaySummary[], p: 'none' | 'quarantine') =>
      of.map(({ day, summaries }) => ({ day, summaries: [...summaries, forged(p)] }));
    expect(await days(also(none, 'quarantine'), { record })).toBe('0 days');
    expect(await days(also(quarantine, 'none'), { record })).toBe('450 days');
    const rare = quarantine.map(({ day, summaries }, n) => ({
      day,
      summaries: n % 10 === 0 ? summaries : [],
    }));
    const entries = [changed(100, null, record)];
    expect(await days(also(rare, 'none'), { record, entries })).toBe('100 days');
  });
});

describe('reports', () => {
  test('of at least 21 of 30 days, without the newest 3', async () => {
    const until = (last: number) => steady(() => [ownMail()]).filter(({ day }) => day <= dayNumber(last));
    expect(await broken(until(TODAY - 12))).toEqual([]);
    expect(await broken(until(TODAY - 13))).toEqual(['Days with reports']);
  });

  const from = (...names: readonly (readonly [string, number])[]) =>
    history(0, TODAY, () =>
      names.map(([domain, count]) =>
        reportFrom(domain, [ownMail({ count })], { policy: policy(atQuarantine) }),
      ),
    );
  const atPresent = { record };
  const isMissing = ['Authenticated reporters'];

  test('come from three reporters, one of them large, and for reject none above 90 %', async () => {
    const small = ['a.example', 'b.example', 'c.example'].map((name) => [name, 100] as const);
    expect(await broken(from(...small), atPresent)).toEqual(isMissing);
    const others = [
      ['b.example', 45],
      ['c.example', 45],
    ] as const;
    expect(await broken(from(['google.com', 910], ...others), atPresent)).toEqual(isMissing);
    expect(await broken(from(['google.com', 900], ...others, ['d.example', 10]), atPresent)).toEqual([]);
    expect(await broken(from(['google.com', 100], ['microsoft.com', 100]), atPresent)).toEqual(isMissing);
    expect(await broken(from(...others, ['microsoft.com', 100]), atPresent)).toEqual([]);
  });

  test.each([
    'not-google.example',
    'google.com.example',
    'yahoo.com',
    'outlook.com',
    'gmail.com',
    'notgoogle.com',
  ])('whose mail comes from %s are of no large receiver, whatever they call themselves', async (domain) => {
    const days = history(0, TODAY, () =>
      [domain, 'b.example', 'c.example'].map((one) =>
        reportFrom(one, [ownMail()], {
          ...{ policy: policy(atQuarantine), reporter: 'Enterprise Outlook, google.com' },
        }),
      ),
    );
    expect(await broken(days, atPresent)).toEqual(isMissing);
  });

  test('of one organization are of one reporter, whatever they call themselves', async () => {
    const days = history(0, TODAY, () =>
      ['google.com', 'a.reports.example', 'b.reports.example', 'reports.example'].map((one) =>
        reportFrom(one, [ownMail()], { policy: policy(atQuarantine), reporter: `Reporter ${one}` }),
      ),
    );
    expect(await broken(days, atPresent)).toEqual(isMissing);
    expect((await rule('Authenticated reporters', days, atPresent))?.actual).toBe('2, largest share 75 %');
  });

  test('that an earlier release stored count, and name no reporter', async () => {
    const days = history(0, TODAY, () =>
      reporters.map((reporter) => report([ownMail()], { reporter, authenticatedDomain: null })),
    );
    expect(await broken(days)).toEqual(isMissing);
  });
});

describe('what is not authenticated', () => {
  const failing = (share: number) => [
    ownMail({ count: 100 - share }),
    ownMail({ count: share, dkim: 'fail', spf: 'fail', dkimDomains: [], spfResult: 'fail' }),
  ];
  const forgeries: readonly (readonly [string, (n: number) => RecordSummary])[] = [
    ['100,000 passing messages a day', () => ownMail({ count: 100_000 })],
    ['11 failing messages of an address in SPF', () => spoofed({ count: 11, sourceIp: '192.0.2.77' })],
    ['mail that fails', () => ownMail({ count: 100_000, dkim: 'fail', spf: 'fail' })],
    ['mail of a sender that once passed', () => newsletter({ count: 5000, dkim: 'pass' })],
    [
      'forwarded mail that fails',
      () => ownMail({ count: 9000, dkim: 'fail', spf: 'fail', overrides: ['forwarded'] }),
    ],
    ['mail on some days', (n) => (n < 350 ? newsletter({ count: 100_000 }) : ownMail())],
  ];
  const worlds: readonly (readonly [string, readonly DaySummary[], Given])[] = [
    ['a domain that is ready', steady(() => [ownMail()]), {}],
    ['a domain with 9 % real failures', steady(() => failing(9)), {}],
    ['a domain at quarantine', steady(() => [ownMail()], atQuarantine), { record }],
    ['a domain without reports', [], {}],
    ['a domain without a check run', steady(() => [ownMail()]), { isChecked: false }],
    ['a parked domain', steady(() => [spoofed()]), { usageType: 'parked' }],
    ['a domain at its first day of quarantine', steady(() => [ownMail()]), { record }],
  ];
  /** What decides, and what is shown as a decision. */
  const decided = async (days: readonly DaySummary[], given: Given) => {
    const { stage, readiness, target, measures } = await assessed(days, given);
    return { stage, readiness, target, lastStep: measures.lastStep };
  };

  test.each(worlds)('changes nothing about %s', async (_, days, given) => {
    const without = await decided(days, given);
    for (const [at, [, record]] of forgeries.entries()) {
      const authenticated = at % 2 === 0 ? false : null;
      const p = (['none', 'quarantine', 'reject'] as const)[at % 3] ?? 'none';
      const forged = history(0, TODAY, (n) => [
        report([record(n)], { authenticated, authenticatedDomain: null, policy: policy({ p }) }),
        ...(days.find(({ day }) => day === dayNumber(n))?.summaries ?? []),
      ]);
      expect(await decided(forged, given)).toEqual(without);
    }
  });

  test('does not hide that 9 % fail, and neither do authenticated reports of anyone but large receivers', async () => {
    expect(await broken(steady(() => failing(9)))).toEqual(['Approved mail that passes']);
    const days = steady(() => failing(9)).map(({ day, summaries }) => ({
      day,
      summaries: [...summaries, reportFrom('forger.example', [ownMail({ count: 100_000 })])],
    }));
    expect(await broken(days)).toEqual(['Approved mail that passes']);
    const sign = newsletter({ dkim: 'pass', count: 1 });
    const hidden = days.map(({ day, summaries }) => ({
      day,
      summaries: [...summaries, report([newsletter({ count: 9 }), sign])],
    }));
    expect(await broken(hidden)).toContain('Senders without a decision that look legitimate');
  });
});

describe('approved mail', () => {
  test('300 and 1,000 messages, those that pass without a decision among them', async () => {
    const perDay = (...records: RecordSummary[]) => steady(() => records, atQuarantine);
    const atNone = (...records: RecordSummary[]) => steady(() => records);
    // 30 days and 4 reporters: 240, 360, 960 and 1,080 messages.
    expect(await broken(atNone(ownMail({ count: 2 })))).toEqual(['Messages of approved senders']);
    expect(await broken(atNone(ownMail({ count: 3 })))).toEqual([]);
    expect(await broken(perDay(ownMail({ count: 8 })), { record })).toEqual(['Messages of approved senders']);
    expect(await broken(perDay(ownMail({ count: 9 })), { record })).toEqual([]);
    const elsewhere = ownMail({ count: 8, sourceIp: '198.51.100.1' });
    expect(await broken(perDay(ownMail({ count: 1 }), elsewhere), { record })).toEqual([]);
  });

  test('a tenant with its own DKIM in 60 networks has no blocker, and is ready once one sender is approved', async () => {
    const tenant = steady((n) =>
      Array.from({ length: 60 }, (_, at) =>
        ownMail({ count: 1 + (n % 3), sourceIp: `40.107.${at}.1`, mailFrom: owner }),
      ),
    );
    const { readiness } = await assessed(tenant, { decided: new Map() });
    expect(readiness.blockers).toEqual([]);
    expect(await broken(tenant, { decided: new Map() })).toEqual(['Approved mail that passes']);
    const decided = decisions([ownMail({ sourceIp: '40.107.7.1' }), 'approved']);
    expect(await assess(tenant, { decided })).toMatchObject({ ready: true, blockers: [] });
  });

  test('passes in total and of each sender', async () => {
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

  test('of 4 of 8 messages that fail decides nothing, and 6 of 12 do', async () => {
    const decided = decisions([ownMail(), 'approved'], [newsletter(), 'approved']);
    const once = (count: number) =>
      history(0, TODAY, (n) =>
        reporters.map((domain, at) =>
          reportFrom(
            domain,
            n === TODAY - 10 && at === 3
              ? [
                  ownMail(),
                  newsletter({ count }),
                  newsletter({ count, dkim: 'pass', dkimDomains: ['news.example.net', owner] }),
                ]
              : [ownMail()],
          ),
        ),
      );
    expect(await assess(once(4), { decided })).toMatchObject({ ready: true, blockers: [] });
    expect(await broken(once(6), { decided })).toEqual(['Approved mail that passes']);
    expect((await assess(once(6), { decided })).blockers).toMatchObject([{ messages: 6 }]);
  });

  test('has aligned DKIM, for reject', async () => {
    const unsigned = (p: 'none' | 'quarantine') =>
      steady(() => [ownMail({ dkimDomains: [], dkim: 'fail' })], { p });
    expect(await broken(unsigned('none'))).toEqual([]);
    expect(await broken(unsigned('quarantine'), { record })).toEqual(['Aligned DKIM of approved senders']);
    expect((await assess(unsigned('quarantine'), { record })).blockers).toHaveLength(1);
  });

  test('of a subdomain counts unless the subdomain keeps its policy', async () => {
    const below = 'news.example.org';
    const failing = ownMail({ count: 50, headerFrom: below, dkim: 'fail', spf: 'fail' });
    const days = (domain: string) =>
      history(0, TODAY, () =>
        reporters.flatMap((one) => [
          reportFrom(one, [ownMail()]),
          reportFrom(one, [failing], { policy: policy({ domain }) }),
        ]),
      );
    expect(await broken(days(owner))).toEqual(['Approved mail that passes']);
    // A record of its own.
    expect(await broken(days(below))).toEqual([]);
    // A policy in the record of the domain, which the next record keeps.
    expect(await assess(days(owner), { record: recordWith('p=none; sp=none') })).toMatchObject({
      ...{ ready: true, blockers: [] },
    });
    // The next record at the domain itself does not inherit it.
    const inherited = ({ dmarc }: CheckResults) => ({ dmarc: { ...dmarc, policyDomain: 'org' } });
    expect(
      await broken(days(owner), { record: recordWith('p=none; sp=none'), results: inherited }),
    ).toContain('Approved mail that passes');
  });
});

describe('senders without a decision', () => {
  const name = 'Senders without a decision that look legitimate';
  const once = (record: RecordSummary) =>
    history(0, TODAY, (n) =>
      reporters.map((domain, at) =>
        reportFrom(domain, n === TODAY - 10 && at === 3 ? [ownMail(), record] : [ownMail()]),
      ),
    );
  const sender = (count: number) => spoofed({ count });
  const inSpf = ({ spf }: CheckResults) => ({ spf: { ...spf, flattenedIps: ['203.0.113.0/24'] } });

  test('block above 10 failing messages and 0.1 % of those of the domain, in SPF', async () => {
    // The domain has 30 * 400 messages.
    expect(await broken(once(sender(13)))).toEqual([]);
    expect(await broken(once(sender(13)), { results: inSpf })).toEqual([name]);
    expect(await broken(once(sender(12)), { results: inSpf })).toEqual([]);
    const small = (count: number) =>
      once(sender(count)).map(({ day, summaries }) => ({
        day,
        summaries: summaries.map((one) => ({
          ...one,
          records: one.records.map((of) => (of.count === 100 ? { ...of, count: 4 } : of)),
        })),
      }));
    expect(await broken(small(11), { results: inSpf })).toEqual([name]);
    expect(await broken(small(10), { results: inSpf })).toEqual([]);
  });

  test('are not hidden by forged mail, however much there is', async () => {
    const flood = steady((n) => [
      ...(n === TODAY - 10 ? [sender(13)] : []),
      ...[ownMail(), spoofed({ sourceIp: '198.18.0.1', count: 1_000_000 })],
    ]);
    expect(await broken(flood, { results: inSpf })).toEqual([name]);
  });

  test('block in the network of an MX host, or if any of their mail ever passed', async () => {
    const atMx = ({ mx }: CheckResults) => ({
      mx: { ...mx, hosts: mx.hosts.map((host) => ({ ...host, ip: '203.0.113.25' })) },
    });
    expect(await broken(once(sender(13)), { results: atMx })).toEqual([name]);
    const passedOnce = steady((n) => [
      ownMail(),
      ...(n === 50 ? [newsletter({ count: 1, dkim: 'pass' })] : []),
      ...(n === TODAY - 10 ? [newsletter({ count: 4 })] : []),
    ]);
    expect(await broken(passedOnce)).toEqual([name]);
    const { blockers } = await assess(passedOnce);
    expect(blockers).toMatchObject([{ name: 'example.net', messages: 16 }]);
    expect(blockers[0]?.reason).toBe(
      '16 messages without your decision fail DMARC, and look legitimate: some of its mail passed DMARC',
    );
  });

  test('that send every day block only beside another sign', async () => {
    const daily = steady(() => [ownMail(), spoofed({ count: 50 })]);
    expect(await assess(daily)).toMatchObject({ ready: true, blockers: [] });
    expect((await assess(daily, { results: inSpf })).blockers[0]?.reason).toContain(
      'your SPF record contains one of its addresses, and it sent on 60 of the last 60 days',
    );
  });

  test('whose mail passes need none', async () => {
    const passing = newsletter({ count: 500, dkimDomains: [owner, 'example.net'], dkim: 'pass' });
    expect(await assess(once(passing))).toMatchObject({ ready: true, blockers: [] });
  });

  test('do not block once they are marked', async () => {
    const decided = decisions([ownMail(), 'approved'], [sender(13), 'unauthorized']);
    expect(await broken(once(sender(13)), { decided, results: inSpf })).toEqual([]);
  });
});

describe('seasonal senders', () => {
  const name = 'Seasonal senders';
  const service = (passes: boolean, count = 100) =>
    newsletter({
      ...{ sourceIp: '198.51.100.99', count, dkim: passes ? 'pass' : 'fail' },
      dkimDomains: passes ? [owner, 'quarterly.example'] : ['quarterly.example'],
    });
  const decided = decisions([ownMail(), 'approved'], [service(false), 'approved']);
  /** Mail of one reporter on single days, this many days ago. */
  const on = (mail: Readonly<Record<number, readonly RecordSummary[]>>, p: 'none' | 'quarantine' = 'none') =>
    history(0, TODAY, (n) =>
      reporters.map((domain, at) =>
        reportFrom(domain, [ownMail(), ...(at === 3 ? (mail[TODAY - n] ?? []) : [])], {
          policy: policy({ p }),
        }),
      ),
    );

  test('passed when they were last active, in a history of 400 days', async () => {
    const quarterly = (passes: boolean, from = 0) =>
      steady((n) => (n % 90 === 0 && n < TODAY - 60 ? [ownMail(), service(passes)] : [ownMail()]), {
        ...atQuarantine,
        from,
      });
    expect(await broken(quarterly(true), { decided, record })).toEqual([]);
    expect(await broken(quarterly(false), { decided, record })).toEqual([name]);
    expect((await assess(quarterly(false), { decided, record })).blockers[0]?.name).toBe('quarterly.example');
    const short = quarterly(true, 100);
    expect(await broken(short, { decided, record })).toEqual([name]);
    const attested = ['seasonalSenders'] as const;
    expect(await broken(short, { decided, record, attested })).toEqual([]);
    expect(await broken(quarterly(false, 100), { decided, record, attested })).toEqual([name]);
  });

  test('are judged by their last active period, not by their last day', async () => {
    const failedBefore = on({ 72: [service(false, 10_000)], 70: [service(true, 1)] });
    expect(await broken(failedBefore, { decided })).toEqual([name]);
    const failedOnce = on({ 72: [service(true, 10_000)], 70: [service(false, 11)] });
    expect(await broken(failedOnce, { decided })).toEqual([]);
    // A period before the last one does not count, and neither do few messages.
    expect(await broken(on({ 200: [service(false)], 70: [service(true)] }), { decided })).toEqual([]);
    expect(await broken(on({ 70: [service(false, 4), service(true, 4)] }), { decided })).toEqual([]);
  });

  test('without a decision count: 100,000 failing messages 70 days ago did not pass', async () => {
    const failed = on({ 70: [service(false, 100_000)] });
    expect(await broken(failed)).toEqual([name]);
    expect((await assess(failed)).blockers).toMatchObject([
      {
        ...{ name: 'quarterly.example', messages: 100_000 },
        reason: `100000 of 100000 messages failed DMARC when it was last active, until ${dayNumber(TODAY - 70)}`,
        fix: expect.stringContaining('Decide whether you use this sender'),
      },
    ]);
    const marked = decisions([ownMail(), 'approved'], [service(false), 'unauthorized']);
    expect(await broken(failed, { decided: marked })).toEqual([]);
  });

  test('without a decision count with a sign of legitimacy, or if they are large and have a name of their own', async () => {
    const inSpf = ({ spf }: CheckResults) => ({ spf: { ...spf, flattenedIps: ['203.0.113.0/24'] } });
    expect(await broken(on({ 70: [spoofed({ count: 13 })] }), { results: inSpf })).toEqual([name]);
    expect(await broken(on({ 70: [spoofed({ count: 100_000 })] }))).toEqual([]);
    // The domain has 30 * 400 messages, of which quarantine may lose 2 %.
    expect(await broken(on({ 70: [service(false, 240)] }))).toEqual([]);
    expect(await broken(on({ 70: [service(false, 241)] }))).toEqual([name]);
  });
});

describe('forwarders and lists', () => {
  test('lose approved mail, which counts for reject, unless the owner accepts it', async () => {
    const relayed = forwarded({ count: 2 });
    const lost = forwarded({ count: 2, dkimDomains: [], dkim: 'fail', spfResult: 'pass' });
    const decided = decisions([ownMail(), 'approved'], [lost, 'forwarder'], [relayed, 'forwarder']);
    const records = () => [ownMail(), relayed, lost];
    expect(await broken(steady(records), { decided })).toEqual([]);
    const days = steady(records, atQuarantine);
    expect(await broken(days, { decided, record })).toEqual(['Approved mail lost to forwarders and lists']);
    expect(await broken(days, { decided, record, attested: ['forwardingLoss'] })).toEqual([]);
    expect(
      await broken(
        steady(() => [ownMail({ count: 1000 }), lost], atQuarantine),
        { decided, record },
      ),
    ).toEqual([]);
  });

  test('that rewrite From send no mail of the domain', async () => {
    const rewriting = ownMail({
      dkimDomains: ['lists.example'],
      overrides: ['mailing_list'],
      dkim: 'fail',
      spf: 'fail',
      mailFrom: 'lists.example',
      count: 1,
    });
    const before = steady((n) => (n < TODAY - 100 ? [ownMail(), rewriting] : [ownMail()]), atQuarantine);
    expect(await broken(before, { record })).toEqual([]);
  });
});

describe('records published now', () => {
  const name = 'Records published now';
  const days = steady(() => [ownMail()]);
  const problems = async (results: Given['results'], of = days, usedSelectors: readonly string[] = []) =>
    (await rule(name, of, { usedSelectors, ...(results !== undefined && { results }) }))?.actual;
  const withDmarc =
    (changes: Partial<CheckResults['dmarc']>) =>
    ({ dmarc }: CheckResults) => ({
      dmarc: { ...dmarc, ...changes },
    });
  const withSpf =
    (changes: Partial<CheckResults['spf']>) =>
    ({ spf }: CheckResults) => ({
      spf: { ...spf, ...changes },
    });
  const key = (selector: string, isValid: boolean, changes = {}) => {
    const [good] = perfectResults('sends-and-receives').dkim.selectors;
    if (good === undefined) throw new Error('the perfect domain has no key');
    const state = isValid ? ('pass' as const) : ('fail' as const);
    return { ...good, selector, valid: isValid, state, ...changes };
  };
  const withKeys =
    (selectors: CheckResults['dkim']['selectors'], changes = {}) =>
    () => ({
      dkim: { state: 'pass' as const, findings: [], selectors: [...selectors], ...changes },
    });

  test('hold nothing up if they are as required', async () => {
    expect(await problems(undefined)).toBe('as required');
  });

  test('must not be a permerror in SPF, or unknown', async () => {
    expect(await problems(withSpf({ valid: false, state: 'fail' }))).toBe('SPF is a permerror');
    expect(await problems(withSpf({ state: 'unknown' }))).toBe('the SPF record is unknown');
    const unknown = withDmarc({ state: 'unknown', record: null });
    expect(await assess(days, { results: unknown })).toMatchObject({
      ready: false,
      rule: expect.arrayContaining([expect.objectContaining({ actual: 'the DMARC record is unknown' })]),
    });
  });

  test('must name an address that reports reach', async () => {
    const missing = 'no rua address that reports reach';
    expect(await problems(withDmarc({ rua: [] }))).toBe(missing);
    expect(await problems(withDmarc({ rua: ['https://example.org/reports'] }))).toBe(missing);
    expect(await problems(withDmarc({ rua: ['mailto:a@b.example'], ruaUsable: false }))).toBe(missing);
    expect(await problems(withDmarc({ rua: ['mailto:a@b.example'], ruaUsable: true }))).toBe('as required');
    // A failed lookup is not a missing authorization.
    expect(await problems(withDmarc({ rua: ['mailto:a@b.example'], ruaUsable: null }))).toBe('as required');
  });

  test('must include the keys that large receivers saw in use, and no others', async () => {
    const isUnusable = 'the DKIM key s1 is in use, and not valid';
    const used = ['s1', 'good', 'not-looked-up-yet'];
    const good = key('good', true);
    expect(await problems(withKeys([good, key('s1', false)]), days, used)).toBe(isUnusable);
    expect(await problems(withKeys([good, key('s1', false, { revoked: true })]), days, used)).toBe(
      isUnusable,
    );
    const gone = {
      id: 'dkim-selector-gone',
      severity: 'notice',
      subject: 's1',
      arguments: { selector: 's1' },
    };
    expect(await problems(withKeys([good], { findings: [gone] }), days, used)).toBe(isUnusable);
    expect(await problems(withKeys([good, key('s1', false, { state: 'unknown' })]), days, used)).toBe(
      'as required',
    );
    expect(await problems(withKeys([good, key('stale', false)]), days, used)).toBe('as required');
  });

  test('must include a valid key if approved mail is signed with one', async () => {
    const revoked = key('old', false, { revoked: true, publicKey: '' });
    expect(await problems(withKeys([revoked]))).toBe('no valid DKIM key');
    expect(await problems(withKeys([key('s1', false)]))).toBe('no valid DKIM key');
    expect(await problems(withKeys([], { state: 'absent' }))).toBe('no valid DKIM key');
    expect(await problems(withKeys([revoked, key('s1', false), key('good', true)]))).toBe('as required');
    expect(await problems(withKeys([], { state: 'unknown' }))).toBe('the DKIM keys are unknown');
    // Approved mail that relies on SPF, and mail that a subdomain signs, need no key of the domain.
    const unsigned = steady(() => [ownMail({ dkim: 'fail', dkimDomains: [] })]);
    expect(await problems(withKeys([revoked]), unsigned)).toBe('as required');
    const below = steady(() => [ownMail({ dkimDomains: ['mail.example.org'] })]);
    expect(await problems(withKeys([]), below)).toBe('as required');
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
  test('approving a provider approves only mail with a sign of the tenant', async () => {
    const ses = ownMail({
      dkimDomains: ['amazonses.com'],
      mailFrom: 'eu-west-1.amazonses.com',
      dkim: 'fail',
      spf: 'fail',
    });
    const { groupOf, statusOf } = senderGroups(owner);
    expect(groupOf(ses)).toMatchObject({ name: 'Amazon SES', kind: 'provider' });
    const decided = decisions([ses, 'approved']);
    expect(statusOf(ses, groupOf(ses), decided)).toBeNull();
    const aligned = { ...ses, dkimDomains: ['amazonses.com', 'mail.example.org'] };
    expect(groupOf(aligned).id).toBe(groupOf(ses).id);
    expect(statusOf(aligned, groupOf(aligned), decided)).toBe('approved');
    const [id = ''] = decided.keys();
    const seen = new Map([
      [id, { ...(decided.get(id) as SenderDecision), envelopeDomains: ['eu-west-1.amazonses.com'] }],
    ]);
    expect(statusOf(ses, groupOf(ses), seen)).toBe('approved');
  });

  test('that are approved providers block with mail without a sign of the tenant only if that looks legitimate', async () => {
    const signed = ownMail({ dkimDomains: ['amazonses.com', owner], mailFrom: 'eu-west-1.amazonses.com' });
    const other = { ...signed, sourceIp: '198.51.100.7', dkimDomains: ['amazonses.com'] };
    const unsigned = { ...other, dkim: 'fail', spf: 'fail' } as const;
    const decided = decisions([signed, 'approved']);
    const regular = steady(() => [signed, unsigned]);
    expect(await broken(regular, { decided })).toEqual([]);
    const passing = { ...unsigned, dkim: 'pass' } as const;
    const passedOnce = steady((n) => (n === TODAY - 90 ? [signed, passing] : [signed, unsigned]));
    expect(await broken(passedOnce, { decided })).toEqual([
      'Senders without a decision that look legitimate',
    ]);
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
    const isLimit = ['reporterShare', 'forwardingLoss'].includes(name);
    expect(isLimit ? atReject <= value : atReject >= value).toBe(true);
  }
});
