import { describe, expect, test } from '@jest/globals';
import { parseRecord } from '../../../../shared/protocol/spf/record.ts';

const PIECES = [
  ...['v=spf1', 'all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists', 'redirect', 'exp', 'x-y.z_1'],
  '+',
  '-',
  '~',
  '?',
  ':',
  '=',
  '/',
  '//',
  '.',
  ' ',
  '  ',
  '%',
  '%%',
  '%_',
  '%-',
  '%{',
  '}',
  '\t',
  '\n',
  '\u0000',
  ...['%{i}', '%{ir}', '%{D2r.-+}', '%{c}', '%{p0}', '%{l99999999999999999999}', 'é', '\ud800', '\u{1f600}'],
  'example.org',
  'org.',
  '192.0.2.1',
  '2001:db8::1',
  '::',
  '/24',
  '/0',
  '//64',
  '/129',
  '0',
  '32',
  '255.255',
];

/** Returns pseudorandom numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

describe('any record', () => {
  test('parses without an exception, and reports each invalid term', () => {
    for (let seed = 1; seed <= 20_000; seed += 1) {
      const random = numbers(seed);
      const text = `v=spf1 ${Array.from({ length: random(14) }, () => PIECES[random(PIECES.length)]).join('')}`;
      const record = parseRecord(text);
      expect(record.problems).toHaveLength(record.terms.filter(({ kind }) => kind === 'invalid').length);
    }
  });

  test.each([
    ['a long word', 'a'.repeat(100_000)],
    ['many slashes', `a${'/'.repeat(100_000)}`],
    ['many digits', `a/${'1'.repeat(100_000)}`],
    ['many lengths', `a${'/24//64'.repeat(20_000)}`],
    ['many dots', `a:${'.'.repeat(100_000)}`],
    ['many hyphens', `a:x.a${'-'.repeat(100_000)}`],
    ['many digits in a macro', `exists:%{d${'1'.repeat(100_000)}}`],
    ['many delimiters in a macro', `exists:%{d${'.-+'.repeat(40_000)}}`],
    ['many open macros', `exists:${'%{'.repeat(50_000)}`],
    ['many spaces', `a${' '.repeat(100_000)}b`],
    ['a long modifier name', `${'a-'.repeat(50_000)}=`],
    ['many terms', 'a '.repeat(50_000)],
  ])('%s takes linear time at most', (_, term) => {
    const start = performance.now();
    parseRecord(`v=spf1 ${term}`);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
