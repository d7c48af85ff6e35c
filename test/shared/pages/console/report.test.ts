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
import { hasChromium, launchChromium } from '../../../kit/browser.ts';
import { shownDomain } from '../../../kit/domain-views.ts';
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
const page = (of: ReportView) => String(reportPage(shownDomain, of));

describe('the report of a domain', () => {
  test('says what protects it, how much mail passes, and what to do next', () => {
    const perfect = perfectResults('sends-and-receives');
    const shown = page(view(perfect));
    expect(shown).toContain(
      'The grade is <strong>A (excellent)</strong>: 100 of 100 points, 30 more than 30 days ago.',
    );
    expect(shown).toContain('<strong>Protected:</strong>');
    expect(shown).toContain('Receivers reported 3,000 messages in the last 30 days. <strong>90 %</strong>');
    expect(shown).toContain('Nothing: all points are earned.');
    expect(shown).toContain(`<time datetime="${dayNumber(59)}">`);
    const none = {
      ...perfect,
      dmarc: { ...perfect.dmarc, effectivePolicy: 'none' as const, policy: 'none' },
    };
    expect(page(view(none))).toContain('<strong>Not protected yet:</strong>');
    expect(page(view(none))).toMatch(/<strong>DMARC, up to \d+ points:<\/strong>/);
    expect(page(worst)).toContain('there is no valid policy');
  });

  test('says what is not known, and does not take it for bad', () => {
    const shown = page(view(unknownResults(), { timeline: [], verified: false }));
    expect(shown).toContain('It is not known what receivers do with forged mail');
    expect(shown).not.toContain('Not protected');
    expect(shown).toContain('it is not known who sends in the name of the domain');
    expect(shown).toContain('It is not verified that the domain is ours');
    expect(page(view(unknownResults(), { checked: undefined }))).toContain('has not been checked yet');
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

test('the report of all domains counts, names the lowest scores, and says what is open', () => {
  const shown = organizationReportPage({ ...all, formToken: 'f' });
  expect(shown).toContain('<strong>4 of 308 domains</strong> have the grade A or B; 299 have the grade F.');
  expect(shown).toContain('<strong>100</strong> are protected');
  expect(shown).toContain('206 are not protected yet. Of 2, the policy is not known.');
  expect(shown).toContain('<strong>92 %</strong> proved');
  expect(shown).toContain('8 domains are not verified, so nobody is warned');
  expect(shown).toContain('More than 20 matters are broken now.');
  expect(shown).toContain('1 matter needs a decision.');
  expect(shown).toContain('12 scores rose, and 1 score fell.');
  expect(shown).toContain('&lt;b&gt;9.example');
  const none = { ...all, figures: { ...figures, total: 0 } };
  expect(organizationReportPage({ ...none, formToken: 'f' })).toContain('There are no domains yet.');
});

const title = `on paper in Chromium${hasChromium() ? '' : ' (skipped: no Chromium)'}`;

(hasChromium() ? describe : describe.skip)(title, () => {
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
