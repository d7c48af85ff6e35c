import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { entriesOf, filesAt } from '../../../lib/admin/mail-files.ts';
import { CommandError } from '../../../lib/terminal/command-line.ts';
import { useFolder } from '../../kit/use.ts';

const LIMIT = 200_000;

function folder(files: Record<string, string | Uint8Array>): string {
  const path = useFolder('archive');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

async function entries(path: string) {
  const found: (string | 'too-large')[] = [];
  for (const file of filesAt([path])) {
    for await (const { bytes } of entriesOf(file, LIMIT)) {
      found.push(bytes === 'too-large' ? bytes : Buffer.from(bytes).toString('latin1'));
    }
  }
  return found;
}

const message = (n: number, length = 10) =>
  `From a@b.test Thu Jan 1 00:00:00 2026\nSubject: ${n}\n\n${'x'.repeat(length)}\n\n`;

describe('an archive', () => {
  test('is a file, or a folder with all files in it', async () => {
    const path = folder({ 'a.xml': 'a', 'new/1700.host:2,S': 'b', 'deep/er/c.gz': 'c' });
    expect(await entries(path)).toEqual(['a', 'c', 'b']);
    expect(await entries(join(path, 'a.xml'))).toEqual(['a']);
  });

  test('that does not exist is rejected', async () => {
    expect(() => filesAt(['/nowhere/at/all'])).toThrow('/nowhere/at/all');
  });

  test('with a file over the size limit has the entry too-large', async () => {
    expect(await entries(folder({ big: 'x'.repeat(LIMIT + 1) }))).toEqual(['too-large']);
  });

  test('in mbox format is split into messages, wherever the chunks end', async () => {
    for (const length of [1, 65_400, 65_480, 65_500, 65_520, 65_536, 131_000]) {
      const messages = [message(1, length), message(2), message(3, length)];
      expect(await entries(folder({ mbox: messages.join('') }))).toEqual(messages);
    }
  });

  test('in mbox format with CRLF is split into messages', async () => {
    const messages = [message(1), message(2)].map((text) => text.replaceAll('\n', '\r\n'));
    expect(await entries(folder({ mbox: messages.join('') }))).toEqual(messages);
  });

  test('in mbox format is not split within a paragraph', async () => {
    const text = `${message(1)}A line\nFrom here on\n`;
    expect(await entries(folder({ mbox: text }))).toEqual([text]);
  });

  test('in mbox format loses only the message over the size limit', async () => {
    const text = [message(1), message(2, LIMIT), message(3)];
    expect(await entries(folder({ mbox: text.join('') }))).toEqual([message(1), 'too-large', message(3)]);
  });
});

test.each(['nothing', 'file/below'])('an error for an unreadable path names the path: %s', async (name) => {
  const path = join(folder({ file: '' }), name);
  expect(() => filesAt([path])).toThrow(CommandError);
  expect(() => filesAt([path])).toThrow(new RegExp(`^${path} cannot be read: no(?:t| such) `));
  const gone = async () => {
    for await (const _entry of entriesOf({ path, size: 1 }, LIMIT));
  };
  await expect(gone()).rejects.toThrow(CommandError);
});
