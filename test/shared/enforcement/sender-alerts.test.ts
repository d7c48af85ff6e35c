import { describe, expect, test } from '@jest/globals';
import { alertsOfSenders } from '../../../shared/enforcement/sender-alerts.ts';
import type { SenderStatus } from '../../../shared/enforcement/shapes.ts';
import type { RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { SenderDecision } from '../../../shared/store/enforcement/decisions.ts';
import { random as randomNumbers } from '../../kit/random.ts';
import { decisions } from '../../kit/readiness.ts';
import {
  dayNumber,
  forwarded,
  history,
  newsletter,
  owner,
  ownMail,
  report,
  reportFrom,
  spoofed,
} from '../../kit/report-history.ts';

const TODAY = 30;
const day = dayNumber(TODAY);

const approved = (record: RecordSummary, status: SenderStatus = 'approved') => decisions([record, status]);

const titles = (alerts: ReturnType<typeof raised>) => alerts.map(({ title }) => title);

const raised = (...given: Parameters<typeof found>) => found(...given).map(({ draft }) => draft);

function found(
  of: (n: number) => readonly RecordSummary[],
  { decisions = new Map<string, SenderDecision>(), authenticated = true as boolean | null, from = 0 } = {},
) {
  const days = history(from, TODAY, (n) => [report(of(n), { authenticated })]);
  return alertsOfSenders(owner, days, { day, decisions });
}

describe('a new sender that fails', () => {
  const from =
    (start: number, count = 100) =>
    (n: number) =>
      n >= start ? [ownMail(), spoofed({ count })] : [ownMail()];

  test('raises none if the owner decided, if reports are not authenticated, or without a history', () => {
    for (const status of ['unauthorized', 'forwarder'] as const) {
      expect(raised(from(TODAY), { decisions: approved(spoofed(), status) })).toEqual([]);
    }
    expect(raised(from(TODAY), { authenticated: null })).toEqual([]);
    expect(titles(raised(from(TODAY), { from: TODAY - 6 }))).toEqual(['More mail fails: example.org']);
    expect(titles(raised(from(TODAY), { from: TODAY - 7 }))).toEqual(['New sender fails: example.org']);
  });

  test('raises none if other customers send through a provider that is unauthorized', () => {
    const through = {
      dkimDomains: ['amazonses.com'],
      mailFrom: 'eu-west-1.amazonses.com',
      dkim: 'fail',
    } as const;
    const ses = ownMail({ ...through, spf: 'fail' });
    const signed = ownMail({ ...through, dkimDomains: [owner, 'amazonses.com'], dkim: 'pass' });
    const others = (n: number) => (n === TODAY ? [ownMail(), ses] : [ownMail()]);
    expect(raised(others, { decisions: approved(signed, 'unauthorized') })).toEqual([]);
    // The mail can be the owner's: the provider may have lost the key.
    const [alert] = raised(others, { decisions: approved(signed) });
    expect(alert?.message).toContain(
      'If you use the provider, check whether it still signs with a key of example.org: the mail can be yours.',
    );
    expect(alert?.message).not.toContain('Approve');
  });

  test('raises one beside senders that were about as large before, if they were of another kind', () => {
    const service = (n: number) => [
      ...[ownMail(), spoofed({ count: 60, sourceIp: `203.0.${n}.1` })],
      ...(n === TODAY ? [newsletter({ count: 100 })] : []),
    ];
    expect(raised(service)).toMatchObject([{ metadata: { sender: 'example.net', failed: 100 } }]);
  });

  test('is named with up to 80 characters', () => {
    const named = (length: number) => {
      const domain = `${'n'.repeat(length - 21)}.${'t'.repeat(20)}`;
      const mail = newsletter({ dkimDomains: [domain], mailFrom: domain });
      const [alert] = raised((n) => (n === TODAY ? [ownMail(), mail] : [ownMail()]));
      return alert?.message.startsWith(`${domain.slice(0, 80)}${length > 80 ? '...' : ''} sent as`);
    };
    expect([named(80), named(81)]).toEqual([true, true]);
  });

  test('raises one for all spoofers of a day', () => {
    const many = (n: number) =>
      n === TODAY
        ? Array.from({ length: 30 }, (_, at) => spoofed({ sourceIp: `203.0.${at}.1`, count: 100 + at }))
        : [ownMail()];
    const alert = { dedupeKey: 'report_failure#new-sender', metadata: { sender: '203.0.29.0/24' } };
    expect(raised(many)).toMatchObject([alert]);
  });
});

describe('an approved sender that stops passing', () => {
  const signed = newsletter({ dkimDomains: [owner, 'news.example.net'], dkim: 'pass', count: 50 });
  const unsigned = newsletter({ count: 50 });
  const decisions = approved(signed);
  const until = (last: number) => (n: number) => [n <= last ? signed : unsigned];

  test('raises an alert on its first day, and the same one as long as it lasts', () => {
    expect(raised(until(TODAY), { decisions })).toEqual([]);
    for (const last of [1, 2, 3]) {
      expect(found(until(TODAY - last), { decisions })).toMatchObject([
        {
          draft: {
            title: 'Approved sender fails: example.org',
            metadata: { status: 'approved', failureRate: 100, previousFailureRate: 0, day },
            dedupeKey: expect.stringMatching(/^report_failure#sender#domain-[^#]*$/),
          },
          since: dayNumber(TODAY - last + 1),
        },
      ]);
    }
  });

  test('raises it on the second day if the first one had few of its messages', () => {
    const few = { ...unsigned, count: 12 };
    const failingFor = (days: number) => (n: number) => [n > TODAY - days ? few : signed];
    expect(raised(failingFor(1), { decisions })).toEqual([]);
    expect(raised(failingFor(2), { decisions })).toHaveLength(1);
  });

  test('raises none for one that always failed, for few messages, and without a history', () => {
    expect(raised(() => [unsigned], { decisions })).toEqual([]);
    const half = (n: number) => [signed, n % 2 === 0 ? unsigned : { ...unsigned, count: 40 }];
    expect(raised(half, { decisions })).toEqual([]);
    const few = (n: number) => [{ ...(n <= TODAY - 2 ? signed : unsigned), count: 9 }];
    expect(raised(few, { decisions })).toEqual([]);
    const isNew = raised(until(TODAY - 2), { decisions, from: TODAY - 6 });
    expect(titles(isNew)).toEqual(['More mail fails: example.org']);
  });
});

describe('the share of failing mail', () => {
  const failing = (count: number) => spoofed({ count });
  /** `rate(n)` of 100 messages fail on each day. */
  const share = (rate: (n: number) => number) => (n: number) => [
    ownMail({ count: 100 - rate(n) }),
    ...(rate(n) > 0 ? [failing(rate(n))] : []),
  ];
  const onLast = (rate: number, others: number) => share((n) => (n === TODAY ? rate : others));

  const shares: readonly (readonly [string, ReturnType<typeof share>, number])[] = [
    ['as before raises no alert', onLast(40, 40), 0],
    ['in the range of the days before raises none', share((n) => (n === TODAY - 9 ? 60 : 50)), 0],
    ['that is a little higher raises none', onLast(50, 40), 0],
    ['that is higher by a quarter raises one', onLast(51, 40), 1],
    ['that is a multiple of a small one raises one', onLast(5, 1), 1],
    ['of fewer than five messages raises none', onLast(4, 0), 0],
    ['that is lower raises none', onLast(5, 40), 0],
  ];

  test.each(shares)('%s', (_what, of, count) => {
    expect(titles(raised(of))).toEqual(Array.from({ length: count }, () => 'More mail fails: example.org'));
  });

  test('raises none if it is higher only because less mail passes, as on a weekend', () => {
    const weekend = (failed: number) => (n: number) => [
      ownMail({ count: n === TODAY ? 30 : 100 }),
      failing(n === TODAY ? failed : 20),
    ];
    expect(raised(weekend(25))).toEqual([]);
    expect(raised(weekend(26))).toMatchObject([
      { dedupeKey: 'report_failure#share', metadata: { failureRate: 46.43 } },
    ]);
  });

  test('that is high from the first day on raises the same alert as long as it is', () => {
    const days = found(() => [ownMail({ count: 9 }), failing(1)], { from: TODAY - 3 });
    expect(days).toMatchObject([
      {
        since: dayNumber(TODAY - 3),
        draft: { metadata: { failureRate: 10, previousFailureRate: null } },
      },
    ]);
  });

  test('that comes back within the first days raises another one only if it is higher', () => {
    const rates = (back: number) => share((n) => ({ [TODAY - 3]: 20, [TODAY]: back })[n] ?? 0);
    const since = (back: number) => found(rates(back), { from: TODAY - 4 }).map((alert) => alert.since);
    expect(since(25)).toEqual([dayNumber(TODAY - 3)]);
    expect(since(26)).toEqual([day]);
  });

  describe('of reporters that get other mail', () => {
    const large = reportFrom('large.example', [ownMail({ count: 1400 }), failing(100)]);
    const small = (failed: number) => reportFrom('small.example', [ownMail({ count: 300 }), failing(failed)]);
    const titlesOn = (last: readonly (typeof large)[]) => {
      const days = history(0, TODAY, (n) => (n === TODAY ? last : [large, small(200)]));
      return alertsOfSenders(owner, days, { day, decisions: new Map() }).map(({ draft }) => draft.title);
    };

    test('raises none while only those have reported that get more forged mail, unless it is higher there', () => {
      expect(titlesOn([small(200)])).toEqual([]);
      expect(titlesOn([small(500)])).toEqual(['More mail fails: example.org']);
    });

    test('raises none for a reporter that did not report before', () => {
      expect(titlesOn([large, small(200), reportFrom('new.example', [failing(5000)])])).toEqual([]);
    });

    test('is compared with all reports if the reporters of the day are new', () => {
      expect(titlesOn([reportFrom('new.example', [failing(5000)])])).toEqual([
        'More mail fails: example.org',
      ]);
    });
  });

  test('leaves out senders that the owner decided against, and forged reports', () => {
    for (const status of ['unauthorized', 'forwarder'] as const)
      expect(raised(onLast(90, 1), { decisions: approved(spoofed(), status) })).toEqual([]);
    for (const authenticated of [false, null]) expect(raised(onLast(90, 1), { authenticated })).toEqual([]);
  });

  test('is not judged by the first few reports about a day', () => {
    const early = (n: number) => (n === TODAY ? [failing(20)] : [ownMail()]);
    expect(raised(early)).toEqual([]);
    expect(raised((n) => (n === TODAY ? [failing(25)] : [ownMail()]))).toHaveLength(1);
  });

  test('of a domain with few messages leaves its range only with several failed ones', () => {
    const small = (n: number) => [ownMail({ count: 8 }), ...(n % 6 === 0 ? [failing(4)] : [])];
    expect(raised(small)).toEqual([]);
    const none = (n: number) => [ownMail({ count: 8 }), ...(n === TODAY ? [failing(4)] : [])];
    expect(raised(none)).toEqual([]);
    const most = (n: number) => (n === TODAY ? [ownMail({ count: 5 }), failing(5)] : [ownMail({ count: 8 })]);
    expect(titles(raised(most))).toEqual(['More mail fails: example.org']);
  });
});

describe('30 days of', () => {
  /** The distinct alerts of 30 days, by the day on which they are first raised. */
  function alertsOf(
    of: (n: number) => readonly RecordSummary[],
    decisions = new Map<string, SenderDecision>(),
  ) {
    const found = new Map<string, string>();
    for (let n = 0; n < 30; n += 1) {
      const days = history(Math.max(0, n - 30), n, (one) => [report(of(one))]);
      for (const { draft, since } of alertsOfSenders(owner, days, { day: dayNumber(n), decisions })) {
        const once = `${draft.dedupeKey} ${since}`;
        if (!found.has(once)) found.set(once, `day ${n}: ${draft.title}`);
      }
    }
    return [...found.values()];
  }

  test('a spoofed brand, with mail from 200 networks a day, raise one alert', () => {
    const random = randomNumbers(33);
    const days = Array.from({ length: 30 }, () => [
      ownMail({ count: 20_000 + random(5_000) }),
      ...Array.from({ length: 200 }, () =>
        spoofed({ sourceIp: `198.${random(250)}.${random(250)}.9`, count: 1 + random(200) }),
      ),
    ]);
    expect(alertsOf((n) => days[n] ?? [])).toEqual(['day 0: More mail fails: example.org']);
  });

  test('a quiet small domain raise none', () => {
    const random = randomNumbers(34);
    const days = Array.from({ length: 30 }, () => [
      ownMail({ count: 3 + random(15) }),
      ...(random(5) === 0 ? [forwarded({ count: 1 }), spoofed({ count: 1 })] : []),
    ]);
    expect(alertsOf((n) => days[n] ?? [])).toEqual([]);
  });
});
