/** The tokens and parts of docs/design.md. */
import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { colors } from '../../shared/design/tokens.ts';
import { domainStyle, style, workplaceStyle } from '../../shared/pages/style.ts';
import { components } from './components.ts';
import { contrast, lowestContrast } from './design.ts';

test('contrast is that of WCAG', () => {
  expect(contrast('#000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#fff')).toBeCloseTo(4.48, 2);
});

const texts = (Object.keys(colors) as (keyof typeof colors)[]).filter((name) => 'on' in colors[name]);

test.each(texts)('%s is readable in light and dark mode', (name) => {
  expect(lowestContrast(name, 'light')).toBeGreaterThanOrEqual(4.5);
  expect(lowestContrast(name, 'dark')).toBeGreaterThanOrEqual(4.5);
});

test.each(components)('$name exists as docs/design.md says', async ({ by, classes = [], sample }) => {
  const sheets = style + domainStyle + workplaceStyle;
  expect(classes.filter((name) => !sheets.includes(`.${name}`))).toEqual([]);
  const markup = String(sample);
  expect(markup.length).toBeGreaterThan(20);
  if (by === undefined) return;
  const exported: object = await import(`../../shared/pages/${by[1]}`);
  expect(Object.keys(exported)).toContain(by[0]);
});

test('every chart is on the page', () => {
  const parts = ['fills.ts', 'figure.ts', 'scale.ts'];
  const charts = readdirSync('shared/pages/charts').filter((file) => !parts.includes(file));
  const shown = components.flatMap(({ by }) => (by === undefined ? [] : [by[1]]));
  expect(charts.filter((file) => !shown.includes(`charts/${file}`))).toEqual([]);
});
