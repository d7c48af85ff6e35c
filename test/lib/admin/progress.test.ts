import { expect, test } from '@jest/globals';
import { progressOn } from '../../../lib/admin/progress.ts';

/** A fake output stream that records what is written to it. */
function stream(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) > 0 };
}

test('a terminal shows the progress of a command, and clears it at the end', () => {
  const terminal = stream(true);
  const progress = progressOn(terminal);
  progress.show(1, 4);
  // This update comes too soon after the last one to be shown.
  progress.show(2, 4);
  progress.show(4, 4);
  progress.end();
  expect(terminal.written).toEqual([
    `\r[${'#'.repeat(10)}${' '.repeat(30)}]  25 %`,
    `\r[${'#'.repeat(40)}] 100 %`,
    '\r\u001b[K',
  ]);
});

test('a command without work is at 100 %', () => {
  const terminal = stream(true);
  progressOn(terminal).show(0, 0);
  expect(terminal.written).toEqual([`\r[${'#'.repeat(40)}] 100 %`]);
});

test('a file or a pipe receives no progress', () => {
  const pipe = stream(false);
  const progress = progressOn(pipe);
  progress.show(1, 2);
  progress.end();
  expect(pipe.written).toEqual([]);
});
