import { expect, test } from '@jest/globals';
import { readMailInTurn } from '../../../../shared/runtime/workers/read-mail.ts';
import type { RawMessages } from '../../../../shared/store/raw-messages.ts';

const MEGABYTE = 1024 * 1024;

test('small mails are read at once, two large ones at once, also after one failed', async () => {
  const sizes: Record<string, number> = { small: 1000, large: 2 * MEGABYTE, huge: 50 * MEGABYTE };
  const raw: RawMessages = {
    async read(key, limit) {
      const size = sizes[key];
      if (size === undefined) return undefined;
      return size > limit ? 'too-large' : new Uint8Array(size);
    },
    remove: async () => {},
  };
  let largeNow = 0;
  let most = 0;
  const waiting = Promise.withResolvers<void>();
  const read = (key: string) =>
    readMailInTurn({ raw, postpone: async () => {} }, { receipt: 'r' }, async ({ read }) => {
      const message = await read(key, 40 * MEGABYTE);
      if (key !== 'large') return message;
      largeNow += 1;
      most = Math.max(most, largeNow);
      await waiting.promise;
      largeNow -= 1;
      if (largeNow === 0) throw new Error('failed');
      return message;
    });
  const large = ['large', 'large', 'large'].map((key) => read(key).catch(() => 'failed'));
  expect(await read('small')).toHaveLength(1000);
  expect(await read('gone')).toBeUndefined();
  waiting.resolve();
  expect(await Promise.all(large)).toHaveLength(3);
  expect(most).toBe(2);
  expect(await read('huge')).toBe('too-large');
});
