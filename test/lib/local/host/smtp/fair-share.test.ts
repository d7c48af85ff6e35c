import { describe, expect, test } from '@jest/globals';
import { FairShare, type Holder } from '../../../../../lib/local/host/smtp/fair-share.ts';
import { random } from '../../../../kit/random.ts';

/** A limit, and holders of parts of it that record, in order, which of them lost its part. */
function sharing(limit: number) {
  const lost: string[] = [];
  const holder = (client: string, name = client, isPinned = false): Holder => ({
    ...{ client, isPinned },
    giveUp: () => lost.push(name),
  });
  return { share: new FairShare(limit), holder, lost };
}

describe('a limit that clients share', () => {
  test('goes to the first client until it is used up', () => {
    const { share, holder, lost } = sharing(3);
    expect([share.take(holder('a'), 2), share.take(holder('a'), 1), lost]).toEqual([true, true, []]);
  });

  test('is taken from the client that has the most, its oldest part first', () => {
    const { share, holder, lost } = sharing(4);
    for (const name of ['b1', 'a1', 'a2', 'a3']) share.take(holder(name.slice(0, 1), name), 1);
    expect(share.take(holder('c'), 1)).toBe(true);
    expect(share.take(holder('d'), 1)).toBe(true);
    expect(lost).toEqual(['a1', 'a2']);
  });

  test('is taken from an older part of the requesting client, if that client has the most', () => {
    const { share, holder, lost } = sharing(3);
    for (const name of ['a1', 'a2']) share.take(holder('a', name), 1);
    share.take(holder('b'), 1);
    expect(share.take(holder('a', 'a3'), 1)).toBe(true);
    expect(lost).toEqual(['a1']);
  });

  test('is denied to a holder that is the oldest part of the client with the most', () => {
    const { share, holder, lost } = sharing(3);
    const oldest = holder('a');
    share.take(oldest, 2);
    share.take(holder('b'), 1);
    expect(share.take(oldest, 1)).toBe(false);
    expect(share.take(holder('c'), 4)).toBe(false);
    expect(lost).toEqual([]);
  });

  test('is not taken from a pinned part', () => {
    const { share, holder, lost } = sharing(2);
    share.take(holder('a', 'a1', true), 1);
    share.take(holder('a', 'a2'), 1);
    expect([share.take(holder('b', 'b', true), 1), lost]).toEqual([true, ['a2']]);
    expect([share.take(holder('c'), 1), lost]).toEqual([false, ['a2']]);
  });

  test('is available again after a release, and only once', () => {
    const { share, holder, lost } = sharing(2);
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
      const chance = random(seed);
      const share = new FairShare(LIMIT);
      const held = new Map<Holder, number>();
      const totalOf = (client: string) =>
        [...held].reduce((sum, [one, amount]) => (one.client === client ? sum + amount : sum), 0);
      let losses = 0;
      let asked = { client: '', amount: 0 };
      for (let step = 0; step < 2000; step++) {
        const client = `client ${chance(CLIENTS)}`;
        const amount = 1 + chance(5);
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
        const holder = (chance(2) === 0 ? own[chance(own.length)] : undefined) ?? made;
        if (chance(4) === 0) {
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
