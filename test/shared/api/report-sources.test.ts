import { describe, expect, test } from '@jest/globals';
import { showSources, showTimeline, sourcesCsv, timelineCsv } from '../../../shared/api/report-sources.ts';
import { addMessages, noMessages } from '../../../shared/store/reports/dmarc-sources.ts';

const days = { from: '2026-03-01', to: '2026-03-02' };
const failed = addMessages(noMessages, { ...noMessages, messages: 4, rejected: 4 });

describe('the pass rate', () => {
  test('of a day without messages is null, and of a day on which all messages failed is 0', () => {
    const timeline = showTimeline(days, [{ day: days.from, reports: 1, ...failed }]);
    expect(timeline.days.map(({ passRate }) => passRate)).toEqual([0, null]);
    expect([...timelineCsv(timeline)].join('')).toContain('2026-03-02,0,0,0,0,,0,0,0,0,0');
  });

  test("of a summary in the interface specification's shape is a number even without messages", () => {
    expect(showTimeline(days, []).summary.passRate).toBe(0);
  });

  test('of a window without messages is null', () => {
    const { summary, others } = showSources(days, { sources: [], others: noMessages, all: failed });
    expect([summary.passRate, others.passRate]).toEqual([0, null]);
    const none = showSources(days, { sources: [], others: noMessages, all: noMessages });
    expect(none.summary.passRate).toBeNull();
    expect([...sourcesCsv(none)]).toHaveLength(1);
  });
});
