/** When reports count as stopped: `sent` says on which days a reporter sends, and the others send all days but those. */
import { describe, expect, test } from '@jest/globals';
import {
  isReportedAfter,
  SILENCE_WINDOW_DAYS,
  silencesOf,
} from '../../../shared/enforcement/report-silence.ts';
import type { ReportSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import { dayNumber, history, ownMail, reportFrom } from '../../kit/report-history.ts';

/** A Wednesday. */
const TODAY = 90;
const FIRST = TODAY - SILENCE_WINDOW_DAYS + 1;

type Sends = (n: number) => boolean;

const always: Sends = () => true;
const until =
  (last: number, sends: Sends = always): Sends =>
  (n) =>
    n <= last && sends(n);

/** Days 2 and 3 of 2026 are a Saturday and a Sunday. */
const onWeekdays: Sends = (n) => ![2, 3].includes(n % 7);

const found = (reporters: Readonly<Record<string, Sends>>, changes: Partial<ReportSummary> = {}) =>
  silencesOf(
    history(FIRST, TODAY - 1, (n) =>
      Object.entries(reporters)
        .filter(([, sends]) => sends(n))
        .map(([name]) => reportFrom(name, [ownMail()], changes)),
    ),
    dayNumber(TODAY),
  ).map(({ reporter, lastDay, reportDays }) => [reporter, TODAY - day(lastDay), reportDays]);

const day = (text: string) => (Date.parse(text) - Date.parse(dayNumber(0))) / 86_400_000;

describe('one reporter, while another one sends', () => {
  test('is not silent on days on which nobody was heard', () => {
    const notLately: Sends = (n) => n < TODAY - 6 || n > TODAY - 5;
    expect(found({ 'other.example': notLately, 'one.example': until(TODAY - 7) })).toEqual([]);
    expect(found({ 'other.example': notLately, 'one.example': until(TODAY - 9) })).toHaveLength(1);
  });
});

describe('all reporters', () => {
  test('are silent after three days whose reports are overdue', () => {
    expect(found({ 'a.example': until(TODAY - 4), 'b.example': until(TODAY - 9) })).toEqual([
      ['b.example', 9, 30],
    ]);
    expect(found({ 'a.example': until(TODAY - 5), 'b.example': until(TODAY - 9) })).toEqual([[null, 5, 30]]);
  });

  test('are not silent on a long weekend if nobody sends at weekends', () => {
    // Since Friday, only the report about Monday is overdue; since the Wednesday before, also those about two more days.
    const [wednesday, friday] = [TODAY - 7, TODAY - 5];
    const sends = (last: number) => found({ 'a.example': until(last, onWeekdays) });
    expect(sends(friday)).toEqual([]);
    expect(sends(wednesday)).toEqual([[null, 7, 22]]);
  });

  test('of which none is known with certainty are silent together only', () => {
    expect(found({ 'a.example': until(TODAY - 9) }, { authenticatedDomain: null })).toEqual([[null, 9, 30]]);
  });
});

test.each([
  ['not authenticated', { authenticated: false, authenticatedDomain: null }],
  ['of unknown origin', { authenticated: null, authenticatedDomain: null }],
  ['counted elsewhere', { reports: 0 }],
])('reports that are %s neither begin nor end a silence', (_, changes) => {
  expect(found({ 'a.example': until(TODAY - 9) }, changes)).toEqual([]);
  const days = history(FIRST, TODAY - 1, (n) => [
    ...(n <= TODAY - 9 ? [reportFrom('a.example', [ownMail()])] : []),
    reportFrom('a.example', [ownMail()], changes),
  ]);
  expect(silencesOf(days, dayNumber(TODAY))).toHaveLength(1);
  expect(isReportedAfter(days, dayNumber(TODAY - 10))).toBe(true);
  expect(isReportedAfter(days, dayNumber(TODAY - 9))).toBe(false);
});
