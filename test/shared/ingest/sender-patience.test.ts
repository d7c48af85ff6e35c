import { describe, expect, test } from '@jest/globals';
import { SilentSender, UNHURRIED, withPatience } from '../../../shared/ingest/sender-patience.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { zone } from '../../kit/zone.ts';

const silent: Dns = { lookup: () => new Promise(() => undefined) };
const look = async (dns: Dns) => (await dns.lookup('a.test', 'A')).status;

describe('a mail', () => {
  test('whose sender answers is read at once', async () => {
    const dns = zone({ 'a.test': { A: ['192.0.2.1'] } });
    expect(
      await withPatience(dns, { attempt: 1, queuedMilliseconds: () => 0, milliseconds: 5000 }, look),
    ).toBe('found');
  });

  test('of a silent sender waits its full time while few do', async () => {
    const start = performance.now();
    expect(
      await withPatience(silent, { attempt: 1, queuedMilliseconds: () => 0, milliseconds: 900 }, look),
    ).toBe('unavailable');
    expect(performance.now() - start).toBeGreaterThan(850);
  });

  test('of a silent sender gives its place back while many wait, and comes back twice', async () => {
    const patience = { attempt: 1, queuedMilliseconds: () => 0, milliseconds: 2000 };
    const start = performance.now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, async () => {
        try {
          return await withPatience(silent, patience, look);
        } finally {
          if (performance.now() - start < 1500) early += 1;
        }
      }),
    );
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect([outcomes.length - reasons.length, early]).toEqual([4, 16]);
    for (const reason of reasons) expect(reason).toBeInstanceOf(SilentSender);
    expect(reasons[0].retrySeconds).toBe(5);
  });
  let early = 0;

  test('of a silent sender gives its place back at once if it was in the queue for long, because others are', async () => {
    const patience = { attempt: 1, queuedMilliseconds: () => 3001, milliseconds: 5000 };
    const start = performance.now();
    await expect(withPatience(silent, patience, look)).rejects.toThrow(SilentSender);
    expect(performance.now() - start).toBeLessThan(3000);
  });

  test('goes on without answers after its retries, and keeps its place no longer', async () => {
    const start = performance.now();
    const patience = { attempt: 3, queuedMilliseconds: () => 30_000, milliseconds: 5000 };
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => withPatience(silent, patience, look)),
    );
    expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
    expect(performance.now() - start).toBeLessThan(3000);
  });

  test('that somebody reads again waits its full time, however many do', async () => {
    const start = performance.now();
    const patience = { ...UNHURRIED, milliseconds: 900 };
    await Promise.all(Array.from({ length: 20 }, () => withPatience(silent, patience, look)));
    expect(performance.now() - start).toBeGreaterThan(850);
  });

  test('that fails for another reason fails, and leaves its place', async () => {
    const fails = () => Promise.reject(new Error('no'));
    for (let time = 0; time < 10; time += 1)
      await expect(
        withPatience(silent, { attempt: 1, queuedMilliseconds: () => 0, milliseconds: 10 }, fails),
      ).rejects.toThrow('no');
  });
});
