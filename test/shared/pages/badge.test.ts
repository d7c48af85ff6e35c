import { describe, expect, test } from '@jest/globals';
import { badge, badgeColours } from '../../../shared/pages/badge.ts';
import { differenceOf } from '../../kit/outline.ts';

/** WCAG 2.2, "relative luminance", of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((begin) => Number.parseInt(colour.slice(begin, begin + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('a badge', () => {
  test.each([100, 90, 89, 79, 60, 7, null])('with score %p', (score) => {
    const [first, shown] = [100, score].map((of) => badge({ domain: 'example.org', score: of }));
    expect(differenceOf(score === 100 ? '' : (first ?? ''), shown ?? '')).toMatchSnapshot();
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
