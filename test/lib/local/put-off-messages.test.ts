import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openQueueStore } from '../../../lib/local/queues/queue-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'put-off-'));
afterAll(() => rmSync(folder, { recursive: true }));

const queue = { name: 'work', maxReceiveCount: 5, visibilityTimeoutSeconds: 60 };

test('a restart releases what was being handled, and not what was put off for longer', () => {
  const path = join(folder, 'queues.sqlite');
  const first = openQueueStore(path, [queue]);
  for (const body of ['handled', 'put off', 'delayed'])
    first.send('work', body, body === 'delayed' ? 600 : 0);
  const received = first.receive(queue, 10, queue.visibilityTimeoutSeconds);
  expect(received.map(({ body }) => body)).toEqual(['handled', 'put off']);
  expect(first.hide('work', received[1]?.receipt ?? '', 3600)).toBe(true);
  first.close();

  const second = openQueueStore(path, [queue]);
  expect(second.receive(queue, 10, 60).map(({ body, receives }) => [body, receives])).toEqual([
    ['handled', 2],
  ]);
  expect(second.counts('work')).toEqual({ ready: 0, inFlight: 2, delayed: 1 });
  second.close();
});
