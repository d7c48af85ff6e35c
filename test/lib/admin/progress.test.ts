import { expect, test } from '@jest/globals';
import { progressOn } from '../../../lib/admin/progress.ts';

/** What a stream was written. */
function stream(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) > 0 };
}

test('A terminal shows how far a command is, and nothing of it at the end', () => {
  const terminal = stream(true);
  const progress = progressOn(terminal);
  progress.show(1, 4);
  // Too soon after the last one to be worth it.
  progress.show(2, 4);
  progress.show(4, 4);
  progress.end();
  expect(terminal.written).toEqual([
    `\r[${'#'.repeat(10)}${' '.repeat(30)}]  25 %`,
    `\r[${'#'.repeat(40)}] 100 %`,
    '\r\u001b[K',
  ]);
});

test('A command that has nothing to do is done', () => {
  const terminal = stream(true);
  progressOn(terminal).show(0, 0);
  expect(terminal.written).toEqual([`\r[${'#'.repeat(40)}] 100 %`]);
});

test('A file or a pipe gets nothing of it', () => {
  const pipe = stream(false);
  const progress = progressOn(pipe);
  progress.show(1, 2);
  progress.end();
  expect(pipe.written).toEqual([]);
});
