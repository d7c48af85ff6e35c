/** What pictures draw, for each kind of figures that they can get. */
import { describe, expect, test } from '@jest/globals';
import { stackedBars } from '../../../shared/pages/charts/bars.ts';
import { line } from '../../../shared/pages/charts/line.ts';
import { axisEnd } from '../../../shared/pages/charts/scale.ts';
import { percent, shares } from '../../../shared/pages/charts/shares.ts';
import { sparkline } from '../../../shared/pages/charts/sparkline.ts';
import type { Markup } from '../../../shared/pages/markup.ts';

const HOSTILE = `"><script>alert(1)</script>&`;

/** An element a line. */
const drawn = (picture: Markup) => `\n${String(picture).replaceAll(/>\n*</g, '>\n<')}\n`;

const frame = { id: 'mail', title: 'Mail per day', summary: 'In 2 days, 7 messages passed.' };
const series = [
  { name: 'Both', fill: 'good' },
  { name: 'DKIM', fill: 'stripes' },
  { name: 'SPF', fill: 'dots' },
  { name: 'Unknown', fill: 'other' },
  { name: 'Late', fill: 'warn' },
  { name: 'Failing', fill: 'bad' },
] as const;
const two = [series[0], series[5]] as const;

const bars = (all: readonly (readonly number[])[]) =>
  stackedBars({
    ...{ ...frame, unit: 'Day', series: two },
    bars: all.map((values, day) => ({ label: `${day + 1} Nov`, values })),
  });

type Values = readonly (number | null)[];
const pointsOf = (values: Values) =>
  values.map((value, n) => ({ label: `${n + 1} Nov`, at: n / Math.max(1, values.length - 1), value }));
const curve = (values: Values, more: { steps?: boolean; minimum?: number } = {}) =>
  line({
    ...{ ...frame, unit: 'Day', measure: 'Score', maximum: 100, range: ['1 Nov', '9 Nov'], ...more },
    points: pointsOf(values),
  });
/** Only what depends on the points. */
const pathOf = (picture: Markup) =>
  String(picture).match(/<path d="[^"]*"|<svg x="[^>]*>|<text y[^/]*|<td>[^<]*/g);

test('every picture is an image with a name, a description and its figures', () => {
  const rows = [
    { label: 'Today', values: [3, 1, 0, 2, 1, 1] },
    { label: 'Next', values: [0, 0] },
    { label: 'Reported', values: [0, 1] },
  ];
  const all = {
    bars: stackedBars({ ...frame, unit: 'Day', series, bars: rows }),
    line: line({
      ...{ ...frame, unit: 'Day', measure: 'Score', maximum: 9, minimum: 4, range: ['1 Nov', '9 Nov'] },
      format: (value) => `${value} %`,
      points: [
        { label: '1 Nov', at: 0, value: 5 },
        { label: '3 Nov', at: 0.25, value: null, mark: 'lost' },
        { label: '5 Nov', at: 0.5, value: 7.5, mark: '1' },
      ],
    }),
    shares: shares({ ...frame, unit: 'Records', series, rows }),
    sparkline: sparkline('Score', [0, 50, 100]),
  };
  for (const [name, picture] of Object.entries(all)) {
    expect(drawn(picture)).toMatchSnapshot(name);
    // A strict content security policy blocks style attributes.
    expect(String(picture)).not.toContain('style=');
  }
});

test('every picture escapes the texts in it', () => {
  const hostile = { ...frame, title: HOSTILE, summary: HOSTILE, unit: HOSTILE };
  const named = [{ name: HOSTILE, fill: 'good' }] as const;
  const values = [{ label: HOSTILE, values: [1] }];
  for (const svg of [
    stackedBars({ ...hostile, series: named, bars: values }),
    shares({ ...hostile, series: named, rows: values }),
    line({
      ...{ ...hostile, measure: HOSTILE, maximum: 1, range: [HOSTILE, HOSTILE] },
      points: [{ label: HOSTILE, at: 0, value: 1, mark: HOSTILE }],
    }),
    sparkline(HOSTILE, [1]),
  ])
    expect(String(svg)).not.toContain('<script');
});

describe('stacked bars', () => {
  test.each([
    ['no day', []],
    ['a day without messages', [[0, 0]]],
    ['an odd end of the axis', [[1, 2]]],
    ['three days, one without figures', [[500, 1], [], [0, 1000]]],
  ])('of %s', (_what, values) => {
    const markup = drawn(bars(values));
    expect(markup).not.toContain('NaN');
    expect(
      markup.match(/<path d="[^"]*"\/>|<title>.*|<text.*|<rect class="hit.*|<span>.*|<td>.*/g),
    ).toMatchSnapshot();
  });

  test('of a quarter take at most 40 kB', () => {
    const days = Array.from({ length: 92 }, (_, day) => [1000 + day, day]);
    expect(String(bars(days)).length).toBeLessThan(40_000);
  });
});

describe('a line', () => {
  test.each<[string, Values]>([
    ['nothing', []],
    ['one point', [50]],
    ['two points', [0, 100]],
    ['points without a neighbor', [50, null, 75, 100, null, 25, null, 33.33]],
    ['only days without a value', [null, null]],
    ['values that end', [50, 75, null]],
    ['values that begin', [null, 50, 75]],
  ])('of %s connects them, or holds each value until the next one', (_what, values) => {
    expect([curve(values), curve(values, { steps: true })].map(pathOf)).toMatchSnapshot();
  });
});

test.each([
  [1, 3, '33.3 %'],
  [1, 1_000, '0.1 %'],
  [1, 1_001, '< 0.1 %'],
  [999, 1_000, '99.9 %'],
  [1_000, 1_001, '> 99.9 %'],
  [10_000, 10_000, '100 %'],
  [0, 10, '0 %'],
  [0, 0, '–'],
])('%i of %i is %s: a part is never nothing and never the whole', (part, whole, text) => {
  expect(percent(part, whole)).toBe(text);
});

test.each<[readonly number[], number | undefined]>([
  [[], undefined],
  [[80], undefined],
  [[0, 33, 33, 100, 0, 0, 1, 33], undefined],
  [[0, 5, 10], 10],
])('the sparkline of %p with the maximum %p', (values, maximum) => {
  expect(drawn(sparkline('Score', values, maximum))).toMatchSnapshot();
});

test.each([
  [0, 1],
  [1, 1],
  [1.1, 2],
  [3, 3],
  [3.5, 4],
  [6.5, 8],
  [10, 10],
  [11, 15],
  [15, 15],
  [17, 20],
  [91, 100],
  [501, 600],
  [9000, 10_000],
])('the axis of values up to %d ends at %i', (largest, end) => {
  expect(axisEnd(largest)).toBe(end);
});
