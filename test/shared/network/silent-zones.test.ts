import { describe, expect, test } from '@jest/globals';
import { silentZones } from '../../../shared/network/silent-zones.ts';

function world() {
  let now = 1000;
  const zones = silentZones(() => now);
  return {
    ...zones,
    wait(milliseconds: number) {
      now += milliseconds;
    },
  };
}

describe('a zone', () => {
  test('is skipped after three names without an answer, while others are answered', () => {
    const { skips, silent, answered } = world();
    for (const name of ['a', 'b', 'c']) {
      expect(skips('z')).toBe(false);
      silent('z', name);
    }
    expect(skips('z')).toBe(false);
    answered('other');
    expect([skips('z'), skips('other')]).toEqual([true, false]);
  });

  test('is not skipped after one name, however often it is silent', () => {
    const { skips, silent, answered } = world();
    for (let time = 0; time < 10; time += 1) silent('z', 'a');
    answered('other');
    expect(skips('z')).toBe(false);
  });

  test('is tried again once in 30 seconds, and used again after an answer', () => {
    const { skips, silent, answered, wait } = world();
    for (const name of ['a', 'b', 'c']) silent('z', name);
    answered('other');
    wait(30_000);
    expect([skips('z'), skips('z'), skips('z')]).toEqual([false, true, true]);
    answered('z');
    expect(skips('z')).toBe(false);
  });

  test.each([
    [120_000, true],
    [120_001, false],
  ])('that was silent %i milliseconds ago is skipped after a third name: %s', (milliseconds, expected) => {
    const { skips, silent, answered, wait } = world();
    silent('z', 'a');
    silent('z', 'b');
    wait(milliseconds);
    silent('z', 'c');
    answered('other');
    expect(skips('z')).toBe(expected);
  });

  test('is remembered while it is among the 5,000 that were silent last', () => {
    const { skips, silent, answered } = world();
    const others = (from: number, count: number) => {
      for (let n = from; n < from + count; n += 1) silent(`other${n}`, 'a');
    };
    for (const name of ['a', 'b', 'c']) silent('z', name);
    others(0, 4_999);
    silent('z', 'a');
    others(4_999, 4_999);
    answered('other');
    expect(skips('z')).toBe(true);
    others(9_998, 1);
    expect(skips('z')).toBe(false);
  });

  test('is not skipped while nothing is answered: the network is down', () => {
    const { skips, silent, answered, wait } = world();
    answered('other');
    wait(1);
    for (const zone of ['y', 'z']) for (const name of ['a', 'b', 'c']) silent(zone, name);
    expect([skips('y'), skips('z')]).toEqual([false, false]);
  });
});
