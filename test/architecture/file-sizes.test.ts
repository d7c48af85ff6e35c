import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));

const MAX_LINES = 350;
/** What the comment at the head of a longer file says, with the reason. */
const REASON = `Longer than ${MAX_LINES} lines: `;

const files = ['shared', 'functions', 'lib', 'bin'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

test('no file is long without a reason in its head, and none has the reason without being long', () => {
  const wrong = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    // The last line ends with a line feed, too.
    const isLong = text.split('\n').length - 1 > MAX_LINES;
    return isLong !== text.slice(0, text.indexOf('*/')).includes(REASON);
  });
  expect(files.length).toBeGreaterThan(1_000);
  expect(wrong).toEqual([]);
});
