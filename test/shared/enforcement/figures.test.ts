/** What is calculated from reports: figures of varied reports, and the numbers at which each result changes. */
import { describe, test } from '@jest/globals';
import { measure } from '../../../shared/enforcement/measures.ts';
import { keepSums, sumsOfOrganization } from '../../../shared/enforcement/organization-sums.ts';
import { termsOfRecord } from '../../../shared/enforcement/policy-terms.ts';
import { SILENCE_WINDOW_DAYS, silencesOf } from '../../../shared/enforcement/report-silence.ts';
import { reportersOf } from '../../../shared/enforcement/reporters.ts';
import { alertsOfSenders } from '../../../shared/enforcement/sender-alerts.ts';
import { senderDetails } from '../../../shared/enforcement/sender-details.ts';
import { nothingToSetUp, setupOf } from '../../../shared/enforcement/sender-setup.ts';
import { sendersOf } from '../../../shared/enforcement/senders.ts';
import { simulate } from '../../../shared/enforcement/simulate.ts';
import { stepLossOf } from '../../../shared/enforcement/step-loss.ts';
import { subdomainsOf } from '../../../shared/enforcement/subdomains.ts';
import { parseDmarcRecord } from '../../../shared/protocol/dmarc/record.ts';
import type { DaySummary, RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { DomainSums, SummedDomain } from '../../../shared/store/reports/domain-sums.ts';
import { assessed, decisions, recordWith, reporters, steady, TODAY } from '../../kit/readiness.ts';
import { limits, recorded } from '../../kit/recorded.ts';
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
import { variedHistory } from '../../kit/varied-history.ts';

const amazon = ownMail({ dkimDomains: ['amazonses.com', owner] });
const decided = decisions(
  [ownMail(), 'approved'],
  [newsletter(), 'approved'],
  [forwarded(), 'forwarder'],
  [amazon, 'approved'],
  [spoofed({ sourceIp: '198.18.1.1' }), 'unauthorized'],
);

const termsOf = (text: string) => {
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) throw new Error(text);
  return { dmarc: text, spf: null, terms: termsOfRecord(parsed.record) };
};

const simulated = (days: readonly DaySummary[], current: string, proposed: string) =>
  simulate(days, {
    ...{ domain: owner, window: { from: dayNumber(0), to: dayNumber(29) }, decisions: decided, spf: null },
    ...{ current: termsOf(current), proposed: termsOf(proposed) },
    exists: (name) => (name.startsWith('x.') ? null : name.startsWith('news.')),
  });

/** Without what reports of a day say day by day. */
async function measuredIn(days: readonly DaySummary[], last: number) {
  const options = { domain: owner, decisions: decided, keepsSubdomainPolicy: last % 2 === 1 };
  const { stepDays, shownEffects, senders, ...measures } = await measure(days, {
    ...options,
    today: dayNumber(last),
  });
  return {
    ...measures,
    effects: [...new Set(shownEffects.map(({ effect, isAtLarge }) => `${effect} ${isAtLarge}`))],
    senders: senders.map(({ group, addresses, recentDays, ...sender }) => ({
      [group.name]: { ...sender, addresses: addresses.size, recentDays: recentDays.size },
    })),
    loss: stepLossOf(
      { stepDays, lastStep: measures.lastStep },
      { today: dayNumber(last), watchedStep: null },
    ),
  };
}

describe.each([
  { seed: 2, last: 75, steps: [[60, { p: 'quarantine' }]] },
  {
    seed: 3,
    last: 80,
    steps: [
      [20, { p: 'quarantine', pct: 50 }],
      [70, { p: 'reject', sp: 'none', testing: true }],
    ],
  },
] as const)('the figures of the reports with seed $seed', ({ seed, last, steps }) => {
  const days = variedHistory(seed, last, steps);
  const window = days.slice(-30);

  test('by sender', async () => {
    const senders = await sendersOf(owner, window, decided);
    recorded(
      senders.map(({ name, note: _, changedAt: __, changedBy: ___, id: ____, ...figures }) => ({
        [name]: figures,
      })),
    );
    const details = senderDetails(
      owner,
      window,
      senders.slice(0, 5).map(({ id }) => id),
      3,
    );
    recorded(
      senders.slice(0, 5).map((sender) => {
        const found = details.get(sender.id) ?? { envelopes: [] };
        const steps = setupOf(sender, found, owner).map(({ done }) => done);
        return {
          [sender.name]: { ...found, steps, needsNothing: nothingToSetUp(sender, owner) !== undefined },
        };
      }),
    );
  });

  test('by reporter and subdomain', async () => {
    recorded({ reporters: await reportersOf(owner, window), subdomains: subdomainsOf(owner, window) });
  });

  test('measured for readiness', async () => {
    recorded(await measuredIn(days, last));
  });

  test('simulated', async () => {
    const to = async (current: string, proposed: string) => {
      const { summary, senders, others, basis, unpredictable } = await simulated(window, current, proposed);
      const shown = senders.slice(0, 4).map(({ name, id: _, ...figures }) => ({ [name]: figures }));
      return { summary, senders: shown, others, basis, unpredictable };
    };
    recorded({
      strict: await to('v=DMARC1; p=none', 'v=DMARC1; p=reject; adkim=s; aspf=s'),
      partial: await to('v=DMARC1; p=quarantine', 'v=DMARC1; p=reject; sp=quarantine; np=none; pct=33'),
    });
  });

  test('as alerts and silences of the last days', () => {
    const ago = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => {
      const day = dayNumber(last - n);
      const alerts = alertsOfSenders(owner, days.slice(-31 - n, days.length - n), {
        day,
        decisions: decided,
      });
      return { [day]: alerts.map(({ draft, since }) => [draft.title, since, draft.metadata]) };
    });
    recorded({ ago, silences: silencesOf(days.slice(-SILENCE_WINDOW_DAYS), dayNumber(last + 9)) });
  });
});

test('the sums of an organization', async () => {
  const now = new Date(`${dayNumber(44)}T12:00:00Z`);
  const summed: SummedDomain[] = [];
  for (const seed of [1, 2, 3]) {
    const kept: DomainSums[] = [];
    const domain = { id: `d${seed}`, organization: 'o', domain: owner };
    await keepSums(domain, variedHistory(seed, 44), { keep: async (_, sums) => void kept.push(sums) }, now);
    const [sums] = kept;
    if (sums !== undefined) summed.push({ ...domain, summedAt: `2026-02-1${seed}T00:00:00Z`, sums });
  }
  const store = {
    domainSums: {
      each: async function* () {
        yield* summed;
      },
    },
    organizationSums: { recent: async () => undefined, keep: async () => undefined },
  };
  const { days, ...sums } = await sumsOfOrganization('o', store, now);
  recorded({ ...sums, days: [days.length, days.at(0), days.at(-1)] });
});

describe('the limit', () => {
  const suggested = async (records: readonly RecordSummary[]) =>
    (
      await sendersOf(
        owner,
        history(0, 0, () => [report(records)]),
        new Map(),
      )
    ).map((one) => one.suggestion);

  test('of the share of a sender that looks forwarded, and of its networks', async () => {
    const share = (count: number) =>
      suggested([
        forwarded({ count }),
        forwarded({ count: 100 - count, spf: 'pass', overrides: ['forwarded'] }),
      ]);
    const networks = (count: number) =>
      suggested(Array.from({ length: count }, (_, n) => forwarded({ sourceIp: `203.0.${n}.1` })));
    recorded({ share: await limits([70, 99], share), networks: await limits([1, 7], networks) });
  });

  test('of a new sender that fails', async () => {
    const titles = (last: readonly RecordSummary[], before: readonly RecordSummary[] = [], from = 0) => {
      const days = history(from, 30, (n) => [
        reportFrom('google.com', [ownMail(), ...(n === 30 ? last : before)]),
      ]);
      return alertsOfSenders(owner, days, { day: dayNumber(30), decisions: decided }).map(
        ({ draft, since }) => [draft.title, since],
      );
    };
    const fails = (count: number) => newsletter({ count });
    const passes = (count: number) => newsletter({ count, dkim: 'pass' });
    recorded({
      failing: await limits([95, 105], (count) => titles([spoofed({ count })])),
      'beside earlier ones': await limits([115, 125], (count) =>
        titles([spoofed({ count })], [spoofed({ count: 60, sourceIp: '203.0.1.1' })]),
      ),
      'days before': await limits([20, 30], (from) => titles([spoofed({ count: 100 })], [], from)),
      'approved, of 100': await limits([0, 60], (count) =>
        titles([fails(count), passes(100 - count)], [fails(10), passes(90)]),
      ),
      'approved, messages': await limits([5, 60], (count) => titles([fails(count)], [passes(200)])),
      'share with few days, of 100': await limits([0, 20], (count) => titles([fails(count)], [], 27)),
      'share beside a range': await limits([0, 60], (count) =>
        titles([spoofed({ count })], [spoofed({ count: 20 })]),
      ),
      'few messages': await limits([0, 20], (count) => {
        const days = history(20, 30, (n) => [report([n === 30 ? spoofed({ count }) : passes(20)])]);
        return alertsOfSenders(owner, days, { day: dayNumber(30), decisions: decided }).length;
      }),
    });
  });

  test('of days without reports', async () => {
    const silent = (sends: (n: number) => boolean) =>
      silencesOf(
        history(100 - SILENCE_WINDOW_DAYS + 1, 99, (n) => [
          ...(sends(n) ? [reportFrom('one.example', [ownMail()])] : []),
          reportFrom('other.example', [ownMail()]),
        ]),
        dayNumber(100),
      ).map(({ reporter, lastDay, reportDays }) => [reporter, lastDay, reportDays]);
    const all = (ago: number) =>
      silencesOf(
        history(100 - SILENCE_WINDOW_DAYS + 1, 100 - ago, () => [reportFrom('one.example', [ownMail()])]),
        dayNumber(100),
      ).length;
    recorded({
      'days since its last report: silent from five overdue ones on, for 30 days': await limits(
        [1, 40],
        (ago) => silent((n) => n <= 100 - ago).length,
      ),
      'the same, if it never sends at weekends': await limits(
        [1, 20],
        (ago) => silent((n) => n <= 100 - ago && n % 7 > 1).length,
      ),
      'days without reports among the 30 before: regular with 20 reports': await limits(
        [0, 15],
        (missing) => silent((n) => n <= 90 && n > 60 + missing).length,
      ),
      'days of an earlier silence: one that is as long is usual': await limits(
        [1, 12],
        (gap) => silent((n) => n <= 90 && (n < 70 || n >= 70 + gap)).length,
      ),
      'half of the same weekdays': await limits([0, 5], (from) =>
        silent((n) => n <= 90 && (n % 7 !== 1 || n < 60 + 7 * from)),
      ),
      'days since the last report of anybody: silent from three overdue ones on': await limits([1, 40], all),
    });
  });

  test('of senders that a simulation lists', async () => {
    const listed = async (count: number) => {
      const records = Array.from({ length: count }, (_, n) =>
        spoofed({ sourceIp: `198.51.${n}.1`, count: 2 }),
      );
      const found = await simulated(
        history(0, 0, () => [report(records)]),
        'v=DMARC1; p=none',
        'v=DMARC1; p=reject',
      );
      return [found.senders.length, found.others.messages];
    };
    recorded(await limits([98, 102], listed));
  });

  test('of mail that a step loses', async () => {
    const lost = async (count: number, ago: number, { all = 100, before = 0, last = 99 } = {}) => {
      const days = history(30, last, (n) => {
        const isAfter = n >= 100 - ago;
        const fails = newsletter({
          count: isAfter ? count : before,
          disposition: isAfter ? 'reject' : 'none',
        });
        const passes = newsletter({ count: all - (isAfter ? count : before), dkim: 'pass' });
        return [
          reportFrom('google.com', [passes, fails], { policy: policy({ p: isAfter ? 'reject' : 'none' }) }),
        ];
      });
      const options = {
        domain: owner,
        decisions: decided,
        keepsSubdomainPolicy: false,
        today: dayNumber(100),
      };
      return (
        stepLossOf(await measure(days, options), { today: dayNumber(100), watchedStep: null })?.senders
          .length ?? 0
      );
    };
    recorded({
      'lost a day, of 100': await limits([0, 10], (count) => lost(count, 10)),
      'lost a day, of 20': await limits([0, 10], (count) => lost(count, 10, { all: 20 })),
      'lost, with 5 predicted': await limits([4, 12], (count) => lost(count, 10, { before: 5 })),
      'days since the step': await limits([1, 40], (ago) => lost(50, ago)),
      'last day': await limits([91, 99], (last) => lost(50, 10, { last })),
    });
  });

  describe('of readiness', () => {
    const atQuarantine = { record: recordWith('p=quarantine') };
    /** The rules that do not hold, and the blockers. */
    const broken = async (
      days: readonly DaySummary[],
      given: Parameters<typeof assessed>[1] = atQuarantine,
    ) => {
      const { readiness } = await assessed(days, { decided, ...given });
      const rules = readiness.rule.filter(({ holds }) => !holds).map(({ id }) => id);
      return [...rules, ...readiness.blockers.map(({ name, messages }) => `${name} ${messages}`)];
    };
    const recent = (records: (n: number) => readonly RecordSummary[], own = 100, from = 0) =>
      steady((n) => [ownMail({ count: own }), ...(n > TODAY - 40 ? records(n) : [])], {
        p: 'quarantine',
        from,
      });
    const counts = async (days: readonly DaySummary[]) => (await broken(days)).length;

    test('in days and messages', async () => {
      recorded({
        'days of history': await limits([380, 402], (ago) => counts(recent(() => [], 100, TODAY - ago + 1))),
        'days at the policy': await limits([27, 33], (ago) => broken(recent(() => [], 100, TODAY - ago))),
        'messages a day and reporter': await limits([1, 12], (own) => broken(recent(() => [], own))),
        reporters: await limits([1, 4], (most) =>
          broken(
            recent(() => []).map(({ day, summaries }) => ({ day, summaries: summaries.slice(0, most) })),
          ),
        ),
        'days with reports': await limits([19, 23], (most) =>
          broken(
            recent(() => []).filter(
              ({ day }) => day < dayNumber(TODAY - 32) || day > dayNumber(TODAY - 3 - most),
            ),
          ),
        ),
        'share of one reporter': await limits([7, 13], (tenth) =>
          broken(
            history(0, TODAY, () =>
              reporters.map((name, at) =>
                reportFrom(name, [ownMail({ count: at === 0 ? 100 * tenth : 33 })], {
                  policy: policy({ p: 'quarantine' }),
                }),
              ),
            ),
          ),
        ),
      });
    });

    test('in shares of approved and undecided mail', async () => {
      const failing = (count: number) =>
        recent(() => [newsletter({ count }), newsletter({ count: 40 - count, dkim: 'pass' })], 4000);
      recorded({
        'failing of an approved sender, of 40': await limits([0, 5], (count) => broken(failing(count))),
        'unsigned of an approved sender, of 40': await limits([0, 5], (count) =>
          broken(
            recent(
              () => [newsletter({ count, spf: 'pass' }), newsletter({ count: 40 - count, dkim: 'pass' })],
              4000,
            ),
          ),
        ),
        'failing of the domain': await limits([0, 6], (count) =>
          broken(
            recent(
              () => [ownMail({ count, dkim: 'fail', spf: 'fail', dkimDomains: [], mailFrom: null })],
              1000,
            ),
          ),
        ),
        forwarded: await limits([0, 8], (count) =>
          broken(recent(() => [forwarded({ count, dkim: 'fail' })], 1000)),
        ),
        'undecided that once passed': await limits([0, 14], (count) =>
          broken(
            steady(
              (n) => [
                ownMail({ count: 10 }),
                ...(n === 50 ? [spoofed({ count: 1, spf: 'pass' })] : []),
                ...(n === TODAY - 10 ? [spoofed({ count })] : []),
              ],
              { p: 'quarantine' },
            ),
          ),
        ),
        'seasonal, of 100': await limits([0, 4], (count) =>
          broken(
            steady(
              (n) => [
                ownMail(),
                ...(n === 100
                  ? [newsletter({ count }), newsletter({ count: 100 - count, dkim: 'pass' })]
                  : []),
              ],
              { p: 'quarantine' },
            ),
          ),
        ),
        'days since a seasonal sender': await limits([28, 37], (ago) =>
          broken(
            steady((n) => [ownMail(), ...(n === TODAY - ago ? [newsletter()] : [])], { p: 'quarantine' }),
          ),
        ),
      });
    });
  });
});
