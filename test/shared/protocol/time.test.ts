/** Days and times in texts for people. */
import { expect, test } from '@jest/globals';
import { dayInWords, timeInWords } from '../../../shared/protocol/time.ts';

test.each([
  ['2026-09-01', '1 Sep 2026', '1 Sep 2026'],
  ['2026-12-31T23:59:59.999Z', '31 Dec 2026', '31 Dec 2026, 23:59 UTC'],
  ['2026-13-01', '2026-13-01', '2026-13-01'],
  ['soon', 'soon', 'soon'],
])('%s', (iso, day, time) => {
  expect([dayInWords(iso), timeInWords(iso)]).toEqual([day, time]);
});
