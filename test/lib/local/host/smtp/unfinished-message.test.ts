import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { FairShare } from '../../../../../lib/local/host/smtp/fair-share.ts';
import { BLOCK, UnfinishedMessage } from '../../../../../lib/local/host/smtp/unfinished-message.ts';

const memory = (shared = 0) => ({ smallMessage: BLOCK, shared: new FairShare(shared) });

describe('the content of an unfinished message', () => {
  test.each([0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])(
    'of %i octets is returned unchanged',
    (length) => {
      const content = Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256));
      for (const size of [7, 1000, BLOCK, 5 * BLOCK]) {
        const message = new UnfinishedMessage('a', memory(2 * BLOCK));
        for (let at = 0; at < length; at += size) message.add(content.subarray(at, at + size));
        expect(Buffer.concat(message.finish()).equals(content)).toBe(true);
      }
    },
  );

  test('is a copy', () => {
    const chunk = Buffer.from('abc');
    const message = new UnfinishedMessage('a', memory());
    message.add(chunk);
    chunk.fill('x');
    expect(Buffer.concat(message.finish()).toString()).toBe('abc');
  });

  test('needs no more memory in chunks of three octets', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const source = Buffer.alloc(BLOCK, 'x');
    const message = new UnfinishedMessage('a', memory(100 * BLOCK));
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let chunk = 0; chunk < 300_000; chunk++) message.add(source.subarray(0, 3));
    collect();
    // An object for each chunk would need about 30 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    expect(Buffer.concat(message.finish())).toHaveLength(900_000);
  });

  test('is discarded, and its memory released, if there is not enough memory', () => {
    const all = memory(2 * BLOCK);
    const message = new UnfinishedMessage('a', all);
    message.add(Buffer.alloc(3 * BLOCK));
    expect([message.isDiscarded, all.shared.has(message)]).toEqual([false, true]);
    message.add(Buffer.alloc(1));
    expect([message.isDiscarded, all.shared.has(message)]).toEqual([true, false]);
    message.add(Buffer.alloc(1));
    expect(message.finish()).toEqual([]);
  });

  test('keeps its memory while it is stored, even if the session ends', () => {
    const all = memory(BLOCK);
    const message = new UnfinishedMessage('a', all);
    message.add(Buffer.alloc(2 * BLOCK));
    message.finish();
    message.giveUp();
    expect([message.isPinned, message.isDiscarded, all.shared.has(message)]).toEqual([true, false, true]);
    message.end();
    expect([message.isPinned, all.shared.has(message)]).toEqual([false, false]);
  });
});
