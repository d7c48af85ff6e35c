import { describe, expect, test } from '@jest/globals';
import { FairShare, type Holder } from '../../../../../lib/local/host/smtp/fair-share.ts';

/** Creates holders that record, in order, which of them lost its part. */
function holders(lost: string[] = []) {
  return (client: string, name = client, isPinned = false): Holder => ({
    client,
    isPinned,
    giveUp: () => lost.push(name),
  });
}

describe('a limit that clients share', () => {
  test('goes to the first client until it is used up', () => {
    const lost: string[] = [];
    const holder = holders(lost);
    const share = new FairShare(3);
    expect([share.take(holder('a'), 2), share.take(holder('a'), 1), lost]).toEqual([true, true, []]);
  });

  test('is taken from the client that has the most, its oldest part first', () => {
    const lost: string[] = [];
    const holder = holders(lost);
    const share = new FairShare(4);
    for (const [client, name] of [
      ['b', 'b1'],
      ['a', 'a1'],
      ['a', 'a2'],
      ['a', 'a3'],
    ] as const) {
      share.take(holder(client, name), 1);
    }
    expect(share.take(holder('c'), 1)).toBe(true);
    expect(share.take(holder('d'), 1)).toBe(true);
    expect(lost).toEqual(['a1', 'a2']);
  });

  test('is taken from an older part of the requesting client, if that client has the most', () => {
    const lost: string[] = [];
    const holder = holders(lost);
    const share = new FairShare(3);
    for (const name of ['a1', 'a2']) share.take(holder('a', name), 1);
    share.take(holder('b'), 1);
    expect(share.take(holder('a', 'a3'), 1)).toBe(true);
    expect(lost).toEqual(['a1']);
  });

  test('is denied to a holder that is the oldest part of the client with the most', () => {
    const lost: string[] = [];
    const holder = holders(lost);
    const share = new FairShare(3);
    const oldest = holder('a');
    share.take(oldest, 2);
    share.take(holder('b'), 1);
    expect(share.take(oldest, 1)).toBe(false);
    expect(share.take(holder('c'), 4)).toBe(false);
    expect(lost).toEqual([]);
  });

  test('is not taken from a pinned part', () => {
    const lost: string[] = [];
    const holder = holders(lost);
    const share = new FairShare(2);
    share.take(holder('a', 'a1', true), 1);
    share.take(holder('a', 'a2'), 1);
    expect([share.take(holder('b', 'b', true), 1), lost]).toEqual([true, ['a2']]);
    expect([share.take(holder('c'), 1), lost]).toEqual([false, ['a2']]);
  });

  test('is available again after a release, and only once', () => {
    const lost: string[] = [];
    const holder = holders(lost);
    const share = new FairShare(2);
    const first = holder('a');
    share.take(first, 2);
    share.release(first);
    share.release(first);
    expect(share.has(first)).toBe(false);
    expect([share.take(holder('b', 'b1'), 2), lost]).toEqual([true, []]);
    expect(share.take(holder('c'), 1)).toBe(true);
    expect(lost).toEqual(['b1']);
  });

  test.each([1, 2, 3, 4, 5])(
    'guarantees each client an equal part, and is never exceeded (seed %i)',
    (seed) => {
      const LIMIT = 60;
      const CLIENTS = 6;
      let state = seed;
      const random = (below: number) => {
        state = (state * 1103515245 + 12345) % 2 ** 31;
        return Math.floor((state / 2 ** 31) * below);
      };
      const share = new FairShare(LIMIT);
      const held = new Map<Holder, number>();
      const totalOf = (client: string) =>
        [...held].reduce((sum, [one, amount]) => (one.client === client ? sum + amount : sum), 0);
      let losses = 0;
      let asked = { client: '', amount: 0 };
      for (let step = 0; step < 2000; step++) {
        const client = `client ${random(CLIENTS)}`;
        const amount = 1 + random(5);
        const own = [...held.keys()].filter((one) => one.client === client);
        const made: Holder = {
          client,
          isPinned: false,
          giveUp() {
            losses += 1;
            const wanted = totalOf(this.client) + (this.client === asked.client ? asked.amount : 0);
            expect(wanted).toBeGreaterThan(LIMIT / CLIENTS);
            held.delete(this);
          },
        };
        const holder = (random(2) === 0 ? own[random(own.length)] : undefined) ?? made;
        if (random(4) === 0) {
          share.release(holder);
          held.delete(holder);
          continue;
        }
        const isWithinPart = totalOf(client) + amount <= LIMIT / CLIENTS;
        asked = { client, amount };
        const isGiven = share.take(holder, amount);
        if (isGiven) held.set(holder, (held.get(holder) ?? 0) + amount);
        if (isWithinPart) expect(isGiven).toBe(true);
        expect([...held.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(LIMIT);
      }
      expect(losses).toBeGreaterThan(50);
    },
  );
});
