import { expect, test } from '@jest/globals';
import { daysFromTo } from '../../../shared/pages/check-results/text.ts';

test('days are written from the first to the last, and one day once', () => {
  const shown = (to: string) => String(daysFromTo('2026-11-01T08:00:00Z', to));
  expect(shown('2026-11-01T20:00:00Z')).toBe('<time datetime="2026-11-01">1 Nov 2026</time>');
  expect(shown('2026-11-02T07:00:00Z')).toBe(
    '<time datetime="2026-11-01">1 Nov 2026</time> – <time datetime="2026-11-02">2 Nov 2026</time>',
  );
});
