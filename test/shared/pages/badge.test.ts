import { describe, expect, test } from '@jest/globals';
import { badge, badgeColours } from '../../../shared/pages/badge.ts';

/** WCAG 2.2, "relative luminance", of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((begin) => Number.parseInt(colour.slice(begin, begin + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('a badge', () => {
  test.each([
    [100, 'A 100/100', 'grade A, 100 of 100'],
    [89, 'B 89/100', 'grade B, 89 of 100'],
    [70, 'C 70/100', 'grade C, 70 of 100'],
    [60, 'D 60/100', 'grade D, 60 of 100'],
    [0, 'F 0/100', 'grade F, 0 of 100'],
    [null, 'unknown', 'unknown'],
  ])('with score %p shows it visually and to screen readers', (score, value, words) => {
    const svg = badge({ domain: 'example.org', score });
    expect(svg).toContain(`>${value}</text>`);
    expect(svg).toContain(`<title>Email security of example.org: ${words}</title>`);
    expect(svg).toContain(`aria-label="Email security of example.org: ${words}"`);
  });

  test('is as wide as its texts', () => {
    const width = (score: number | null) =>
      Number(/ width="(\d+)"/.exec(badge({ domain: 'example.org', score }))?.[1]);
    expect(width(100)).toBeGreaterThan(width(95));
    expect(width(95)).toBeGreaterThan(width(5));
    expect(width(null)).toBeGreaterThan(100);
  });

  test('contains no scripts or external resources, whatever the domain name is', () => {
    const svg = badge({ domain: `"><script>alert(1)</script>&`, score: 50 });
    expect(svg).not.toContain('<script');
    expect(svg).not.toMatch(/ on\w+=|href|<style|<image|<foreignObject/);
  });

  test.each(Object.entries(badgeColours))('has a readable %s (contrast of 4.5)', (_what, colour) => {
    expect(1.05 / (luminance(colour) + 0.05)).toBeGreaterThanOrEqual(4.5);
  });
});
