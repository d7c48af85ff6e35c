import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { watchLoad } from '../../../../lib/local/host/load-watch.ts';
import { createLog } from '../../../../shared/runtime/logging/log.ts';
import { until } from '../../../kit/until.ts';
import { use } from '../../../kit/use.ts';

const limits = { delayMilliseconds: 250, forMilliseconds: 400, quietMilliseconds: 100 };
const quick = { intervalMilliseconds: 10 };

describe('a process', () => {
  test('is too busy while a thread is late for long enough, and no longer', async () => {
    let late = 0;
    const lines: string[] = [];
    const log = { ...createLog('silent'), warn: (message: string) => void lines.push(message) };
    const watch = await use(watchLoad(() => late, log, limits));
    late = 251;
    const start = performance.now();
    await until(() => watch.isTooBusy() === true, quick);
    expect(performance.now() - start).toBeGreaterThan(limits.forMilliseconds - limits.quietMilliseconds);
    late = 250;
    await until(() => watch.isTooBusy() === false, quick);
    expect(lines).toEqual(['too busy for public tools', 'public tools again']);
  });

  test.each([1, 90])('is too busy while its own event loop is late, with pauses of %i ms', async (pause) => {
    const watch = await use(watchLoad(() => 0, createLog('silent'), { ...limits, quietMilliseconds: 500 }));
    const compute = setInterval(() => {
      const end = performance.now() + 400;
      while (performance.now() < end);
    }, 400 + pause);
    await until(() => watch.isTooBusy() === true, quick);
    clearInterval(compute);
    await until(() => watch.isTooBusy() === false, quick);
  });

  test('is not too busy after a single delay', async () => {
    const watch = await use(watchLoad(() => 0, createLog('silent'), { ...limits, forMilliseconds: 3000 }));
    const end = performance.now() + 1000;
    while (performance.now() < end);
    await sleep(200);
    expect(watch.isTooBusy()).toBe(false);
  });
});
