import { describe, expect, test } from '@jest/globals';
import { stackedBars } from '../../../shared/pages/charts/bars.ts';
import { line } from '../../../shared/pages/charts/line.ts';
import { axisEnd } from '../../../shared/pages/charts/scale.ts';
import { percent, shares } from '../../../shared/pages/charts/shares.ts';
import { sparkline } from '../../../shared/pages/charts/sparkline.ts';

const HOSTILE = `"><script>alert(1)</script>&`;

const frame = { id: 'mail', title: 'Mail per day', summary: 'In 2 days, 7 messages passed.' };
const bars = {
  ...frame,
  unit: 'Day',
  series: [
    { name: 'Both', fill: 'good' },
    { name: 'Failing', fill: 'bad' },
  ],
  bars: [
    { label: '1 Nov', values: [4, 1] },
    { label: '2 Nov', values: [3, 0] },
  ],
} as const;
const scores = {
  ...frame,
  unit: 'Day',
  measure: 'Score',
  maximum: 100,
  steps: true,
  range: ['1 Nov', '9 Nov'],
  points: [
    { label: '1 Nov', at: 0, value: 50 },
    { label: '3 Nov', at: 0.25, value: null },
    { label: '5 Nov', at: 0.5, value: 75, mark: '1' },
  ],
} as const;
const parts = {
  ...frame,
  unit: 'Records',
  series: bars.series,
  rows: [
    { label: 'Today', values: [3, 1] },
    { label: 'Next', values: [0, 0] },
  ],
} as const;

const markup = {
  bars: String(stackedBars(bars)),
  line: String(line(scores)),
  shares: String(shares(parts)),
};

describe('every picture', () => {
  test.each(Object.entries(markup))(
    'of %s is an image with a name, a description and its figures',
    (_, svg) => {
      expect(svg).toContain('role="img" aria-labelledby="mail-title" aria-describedby="mail-desc"');
      expect(svg).toContain('<title id="mail-title">Mail per day</title>');
      expect(svg).toContain('<desc id="mail-desc">In 2 days, 7 messages passed.</desc>');
      expect(svg).toContain('<details class="figures">');
      expect(svg).toContain('tabindex="0"');
      // A strict content security policy blocks style attributes.
      expect(svg).not.toContain('style=');
    },
  );

  test('escapes every text in it', () => {
    const hostile = { ...frame, title: HOSTILE, summary: HOSTILE };
    const series = [{ name: HOSTILE, fill: 'good' }] as const;
    const values = [{ label: HOSTILE, values: [1] }];
    for (const svg of [
      stackedBars({ ...hostile, unit: HOSTILE, series, bars: values }),
      shares({ ...hostile, unit: HOSTILE, series, rows: values }),
      line({
        ...{ ...hostile, unit: HOSTILE, measure: HOSTILE, maximum: 1, range: [HOSTILE, HOSTILE] },
        points: [{ label: HOSTILE, at: 0, value: 1, mark: HOSTILE }],
      }),
      sparkline(HOSTILE, [1]),
    ])
      expect(String(svg)).not.toContain('<script');
  });
});

describe('stacked bars', () => {
  test('stack the values of each day from the bottom', () => {
    // The axis ends at 5, so the first bar is 4/5 and 1/5 of the height.
    expect(markup.bars).toContain('<path d="M0.045 0.2h0.41v0.8H0.045zM0.545 0.4h0.41v0.6H0.545z"/>');
    expect(markup.bars).toContain('<path d="M0.045 0h0.41v0.2H0.045z"/>');
  });

  test('have their figures in words', () => {
    expect(markup.bars).toContain('<title>1 Nov: Both 4, Failing 1</title>');
    expect(markup.bars).toContain('<th scope="row">2 Nov</th><td>3</td><td>0</td><td>3</td>');
  });

  test('are possible without a day and without messages', () => {
    expect(String(stackedBars({ ...bars, bars: [] }))).not.toContain('NaN');
    expect(String(stackedBars({ ...bars, bars: [{ label: 'x', values: [0, 0] }] }))).not.toContain('NaN');
  });

  test('of a quarter take at most 40 kB', () => {
    const days = Array.from({ length: 92 }, (_, day) => ({
      label: `${day} November 2026`,
      values: [1000 + day, day],
    }));
    expect(String(stackedBars({ ...bars, bars: days })).length).toBeLessThan(40_000);
  });
});

describe('a line', () => {
  test('holds its value until the next one, and is interrupted where nothing is known', () => {
    expect(markup.line).toContain('<path d="M0 500h0H250M500 250h0H1000"/>');
    expect(markup.line).toContain('<th scope="row">3 Nov</th><td>–</td>');
  });

  test('connects its points if values do not hold', () => {
    expect(
      String(line({ ...scores, steps: false, points: scores.points.filter(({ value }) => value) })),
    ).toContain('<path d="M0 500h0L500 250"/>');
  });

  test('begins at zero unless it says otherwise', () => {
    const points = [{ label: 'x', at: 0, value: 0, mark: '1' }];
    expect(String(line({ ...scores, points }))).toContain('<svg x="0%" y="100%"><circle r="9"/>');
    expect(String(line({ ...scores, maximum: 3, points }))).toContain('>1.5<');
  });

  test('can begin above zero', () => {
    const values = [{ label: 'x', at: 0, value: 75 }];
    expect(String(line({ ...scores, minimum: 50, points: values }))).toContain('<path d="M0 500h0H1000"/>');
  });

  test('shows points without a neighbor', () => {
    const values = [50, null, 75, 100].map((value, at) => ({ label: 'x', at: at / 3, value }));
    const shown = String(line({ ...scores, steps: false, points: values }));
    expect(shown.match(/<svg [^>]*><circle class="lone"/g)).toEqual([
      '<svg x="0%" y="50%"><circle class="lone"',
    ]);
  });

  test('has numbered marks', () => {
    expect(markup.line).toContain('<svg x="50%" y="25%"><circle r="9"/><text dy="4">1</text></svg>');
  });
});

describe('shares', () => {
  test('are in proportion, with their figures', () => {
    expect(markup.shares).toContain('<rect x="75%" y="20" width="25%" height="22"');
    expect(markup.shares).toContain('<td>3 (75 %)</td><td>1 (25 %)</td>');
    expect(markup.shares).toContain('<td>0 (–)</td>');
  });

  test.each([
    [1, 3, '33.3 %'],
    [1, 10_000, '< 0.1 %'],
    [9_999, 10_000, '> 99.9 %'],
    [10_000, 10_000, '100 %'],
    [0, 10, '0 %'],
  ])('of %i in %i are written as %s', (part, whole, text) => {
    expect(percent(part, whole)).toBe(text);
  });
});

describe('a sparkline', () => {
  test('says its values', () => {
    const svg = String(sparkline('Score', [0, 50, 100]));
    expect(svg).toContain('role="img" aria-label="Score: 0, 50, 100"');
    expect(svg).toContain('<path d="M3 17L36 10L69 3"/><circle cx="69" cy="3" r="2.5"/>');
  });

  test('of one value is a point, and of none nothing', () => {
    expect(String(sparkline('Score', [80]))).toContain('<circle cx="69"');
    expect(String(sparkline('Score', []))).toBe('');
  });
});

test.each([
  [0, 1],
  [3, 3],
  [10, 10],
  [11, 15],
  [17, 20],
  [501, 600],
  [9000, 10_000],
])('the axis of values up to %i ends at %i', (largest, end) => {
  expect(axisEnd(largest)).toBe(end);
});
