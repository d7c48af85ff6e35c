/** The changes of all domains in a real browser: days of the reader's zone, and the keys. */
import { expect, test } from '@jest/globals';
import { changesPage } from '../../../../shared/pages/console/changes.ts';
import type { ChangesView } from '../../../../shared/views/organization-changes.ts';
import { missingForChromium } from '../../../kit/browser.ts';
import { browserTabs } from '../../../kit/browser-tabs.ts';
import { describeWith } from '../../../kit/describe-with.ts';

const entry = (at: string) => ({
  ...{ at, domainId: `id-${at}`, domain: `d${at.slice(8, 10)}-${at.slice(11, 13)}.example` },
  ...{ scoreBefore: 70, scoreAfter: 61 },
  changes: [
    {
      ...{ check: 'dmarc' as const, previousState: 'pass' as const, newState: 'fail' as const, omitted: 0 },
      ...{ recordsAdded: ['v=DMARC1; p=none'], recordsRemoved: [], findingsAdded: [], findingsRemoved: [] },
    },
  ],
});

const view: ChangesView = {
  query: { days: 7 },
  days: [
    { day: '2026-11-30', entries: [entry('2026-11-30T23:30:00.000Z'), entry('2026-11-30T09:00:00.000Z')] },
    { day: '2026-11-29', entries: [entry('2026-11-29T23:10:00.000Z')] },
  ],
  next: undefined,
  unread: { count: 0, hasMore: false },
};

describeWith(missingForChromium(), 'the changes of all domains in Chromium', () => {
  const openTab = browserTabs();
  const shown = async (timezoneId: string, javaScriptEnabled = true) => {
    const { page } = await openTab({ timezoneId, locale: 'en-GB', javaScriptEnabled });
    await page.setContent(changesPage({ ...view, formToken: 'f' }));
    return page;
  };

  test.each([
    [
      'Europe/Berlin',
      true,
      ['1 Dec 2026 check runs with changes: 1', '30 Nov 2026 check runs with changes: 2'],
    ],
    [
      'Europe/Berlin',
      false,
      ['30 Nov 2026 UTC, check runs with changes: 2', '29 Nov 2026 UTC, check runs with changes: 1'],
    ],
    [
      'America/Los_Angeles',
      true,
      ['30 Nov 2026 check runs with changes: 2', '29 Nov 2026 check runs with changes: 1'],
    ],
  ])('days are those of the zone %s; script: %p', async (zone, script, days) => {
    const page = await shown(zone, script);
    expect(await page.locator('[data-day] h2').allInnerTexts()).toEqual(days);
    expect(await page.locator('.where').allInnerTexts()).toEqual([
      'd30-23.example',
      'd30-09.example',
      'd29-23.example',
    ]);
  });

  test('the keys go from one change to the next, over days', async () => {
    const page = await shown('Europe/Berlin');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('j');
    expect(await focused()).toBe('d30-23.example');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused()).toBe('d29-23.example');
    await page.keyboard.press('k');
    expect(await focused()).toBe('d30-09.example');
  });
});
