/** The reports for printing: plain words about what is known, on two pages of paper. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { reportPage } from '../../../../shared/pages/console/domain/report.ts';
import { organizationReportPage } from '../../../../shared/pages/console/organization-report.ts';
import { document } from '../../../../shared/pages/document.ts';
import { domainStyle } from '../../../../shared/pages/style.ts';
import { computeScore } from '../../../../shared/score/score.ts';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import type { ReportView } from '../../../../shared/views/domain/report.ts';
import { figuresOf } from '../../../../shared/views/organization-figures.ts';
import type { OrganizationReport } from '../../../../shared/views/organization-report.ts';
import { launchChromium, missingForChromium } from '../../../kit/browser.ts';
import { describeWith } from '../../../kit/describe-with.ts';
import { shownDomain } from '../../../kit/domain-views.ts';
import { differenceOf, outlineOf, outlineOfPage } from '../../../kit/outline.ts';
import { dayNumber, owner } from '../../../kit/report-history.ts';
import { emptyResults, perfectResults, unknownResults } from '../../../kit/results.ts';

const at = (day: number) => `${dayNumber(day)}T08:00:00.000Z`;

const timeline = Array.from({ length: 30 }, (_, n) => ({
  ...{ day: dayNumber(30 + n), reports: 2, messages: 100, passed: 90 },
  ...{ dkimAligned: 90, spfAligned: 90, quarantined: 0, rejected: 0 },
}));

function view(results: Parameters<typeof computeScore>[0], changed: Partial<ReportView> = {}): ReportView {
  return {
    now: at(59),
    verified: true,
    checked: { checkedAt: at(58), results, score: computeScore(results, 'sends-and-receives') },
    scores: Array.from({ length: 40 }, (_, n) => ({ at: at(59 - n), score: 100 - n, grade: 'A' as const })),
    days: { from: dayNumber(30), to: dayNumber(59) },
    timeline,
    ...changed,
  };
}

const worst = view({ ...emptyResults(), dmarc: { ...emptyResults().dmarc, state: 'absent' } });
const perfect = perfectResults('sends-and-receives');
const content = (of: ReportView) =>
  outlineOf(String(reportPage(shownDomain, of)).replace(/^.*?<\/header>/s, ''));
/** What it says, before its pictures. */
const sentences = (of: ReportView) => / {2}ul\.plain\n([\s\S]*?)\n(?= ?\S)/.exec(content(of))?.[1];

describe('the report of a domain', () => {
  test('says what protects it, how much mail passes, and what to do next', () => {
    const some = {
      ...worst,
      scores: [59, 45, 30].map((day, n) => ({ at: at(day), score: 50 - n, grade: 'F' as const })),
    };
    expect(
      content({ ...some, timeline: timeline.slice(0, 2), days: { from: dayNumber(30), to: dayNumber(32) } }),
    ).toMatchSnapshot();
    expect(
      differenceOf(content(some), content(view(perfect, { scores: [], timeline: [] }))),
    ).toMatchSnapshot();
  });

  const policy = (effectivePolicy: 'none' | 'quarantine' | 'reject' | null, testing = false) => ({
    ...perfect,
    dmarc: { ...perfect.dmarc, effectivePolicy, testing },
  });
  const score = (day: number, value: number | null) => ({ at: at(day), score: value, grade: 'A' as const });
  const day = timeline[0] as (typeof timeline)[number];
  test.each<[string, ReportView]>([
    ['everything', view(perfect)],
    ['not checked', view(perfect, { checked: undefined })],
    ['unknown', view(unknownResults(), { timeline: [], verified: false })],
    [
      'one message, as 30 days ago',
      view(perfect, {
        timeline: [{ ...day, messages: 1, passed: 1 }],
        scores: [score(29, 100)],
      }),
    ],
    [
      'less than 30 days ago, in test mode',
      view(policy('reject', true), { scores: [score(30, 0), score(29, 101)] }),
    ],
    [
      'more than 30 days ago, in test mode',
      view(policy('quarantine', true), { scores: [score(30, 0), score(28, 99)] }),
    ],
    ['a score that was not known', view(policy('none'), { scores: [score(29, null), score(28, 1)] })],
    ['no policy', view(policy(null), { scores: [] })],
    ['partly protected', view(policy('quarantine'), { scores: [] })],
  ])('in words: %s', (_what, of) => {
    expect(sentences(of)).toMatchSnapshot();
  });

  test('counts the steps that do not fit', () => {
    const { checked } = worst;
    if (checked === undefined) throw new Error('not checked');
    const [one] = checked.score.components;
    const steps = [4, 5, 6, 7].map((count) => {
      const components = Array.from({ length: count + 2 }, (_, n) => ({
        ...one,
        component: n === 0 ? 'dane' : 'mx',
        todo: n === count ? null : 'Do it',
        gain: n === count + 1 ? 0 : 2.6,
      }));
      const shown = content({
        ...worst,
        checked: { ...checked, score: { ...checked.score, components: components as never } },
      });
      return [
        shown.match(/li <strong [^>]*up to.*/g)?.length,
        /li <strong [^>]*up to.*/.exec(shown)?.[0],
        /and \d+ smaller.*/.exec(shown)?.[0],
      ];
    });
    expect(steps).toMatchSnapshot();
  });
});

const finding = { id: 'dmarc-monitoring-only', severity: 'warning' as const, arguments: { domain: owner } };
const domain = (n: number) =>
  ({
    domain: `<b>${n}.example`,
    listed: { policy: 'none', next: { finding, gain: 12 } },
  }) as unknown as Domain;
const moved = (n: number) => ({ id: `${n}`, domain: `m${n}.example`, score: 50, change: n });
const figures = {
  ...figuresOf([], new Date()),
  ...{ total: 308, verified: 300, byGrade: { A: 4, B: 0, C: 0, D: 1, F: 299 }, withoutGrade: 4 },
  byPolicy: { unknown: 2, 'no-policy': 6, none: 200, quarantine: 50, reject: 50 },
  mail: { messages: 1000, passed: 920, last: dayNumber(59) },
};
const all: OrganizationReport = {
  ...{ now: new Date(at(59)), figures },
  lowest: Array.from({ length: 10 }, (_, n) => ({ domain: domain(n), score: n })),
  moves: { fell: [moved(-3)], rose: [1, 2, 3, 4, 5].map(moved), fellCount: 1, roseCount: 12 },
  open: [
    { group: 'broken', count: 20, hasMore: true },
    { group: 'decide', count: 1, hasMore: false },
  ],
};

/** Without the parts of pictures that repeat figures. */
const shown = (given: Partial<OrganizationReport>) =>
  outlineOfPage(organizationReportPage({ ...all, ...given, formToken: 'f' })).replaceAll(
    /\n *(?:svg|rect|desc|<title|figcaption|caption|ul\.key|li (?=[A-Fp]|no)).*/g,
    '',
  );

test('the report of all domains counts, names the lowest scores, and says what is open', () => {
  expect(shown({})).toMatchSnapshot();
  expect(shown({ figures: { ...figures, total: 0 } })).toMatchSnapshot();
  const one = {
    ...figures,
    total: 1,
    verified: 1,
    byGrade: { A: 0, B: 1, C: 0, D: 0, F: 1 },
    byPolicy: { unknown: 0, 'no-policy': 1, none: 0, quarantine: 1, reject: 0 },
    mail: { messages: 0, passed: 0, last: null },
  };
  const none = { fell: [], rose: [], fellCount: 0, roseCount: 0 };
  const unknown = { ...domain(11), listed: { policy: null, next: null } } as Domain;
  const long = { ...domain(12), domain: 'x'.repeat(300) };
  const open = [
    ...(['broken', 'ready', 'setup'] as const).map((group) => ({
      group,
      count: 1,
      hasMore: group === 'ready',
    })),
    { group: 'decide' as const, count: 2, hasMore: false },
  ];
  expect(
    shown({ figures: one, moves: none, open, lowest: [{ domain: unknown, score: 1 }] }),
  ).toMatchSnapshot();
  const lowest = [
    { domain: unknown, score: 1 },
    { domain: long, score: 2 },
    { domain: { ...domain(13), listed: undefined } as Domain, score: 3 },
  ];
  const some = shown({
    figures: { ...figures, verified: 307 },
    lowest,
    moves: { ...none, rose: [moved(1)], roseCount: 1 },
  });
  expect(some.match(/.*not verified.*|tr \| .* \| .*|.*(?:rose|portions)[\s\S]*/g)).toMatchSnapshot();
});

describeWith(missingForChromium(), 'on paper in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test.each([
    [
      'a domain',
      document({ title: 't', description: 'd', styles: domainStyle, main: reportPage(shownDomain, worst) }),
    ],
    ['all domains', organizationReportPage({ ...all, formToken: 'f' })],
  ])('the report of %s fits two pages, without what is for clicking', async (_what, markup) => {
    const tab = await browser.newPage();
    await tab.setContent(markup);
    const pdf = await tab.pdf({ format: 'A4' });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeLessThanOrEqual(2);
    await tab.emulateMedia({ media: 'print' });
    for (const selector of ['nav', 'form', 'footer', '.actions'])
      expect(
        await tab
          .locator(selector)
          .evaluateAll((found) => found.filter((one) => one.checkVisibility()).length),
      ).toBe(0);
    await tab.close();
  });
});
