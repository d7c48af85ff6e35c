import { expect, test } from '@jest/globals';
import { productFiles, productText } from '../kit/product.ts';

const MAX_LINES = 350;
/** What the comment at the head of a longer file says, with the reason. */
const REASON = `Longer than ${MAX_LINES} lines: `;

test('no file is long without a reason in its head, and none has the reason without being long', () => {
  const wrong = productFiles.filter((file) => {
    const text = productText(file);
    // The last line ends with a line feed, too.
    const isLong = text.split('\n').length - 1 > MAX_LINES;
    return isLong !== text.slice(0, text.indexOf('*/')).includes(REASON);
  });
  expect(productFiles.length).toBeGreaterThan(1_000);
  expect(wrong).toEqual([]);
});
