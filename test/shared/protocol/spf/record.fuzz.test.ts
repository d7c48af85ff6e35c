import { describe, expect, test } from '@jest/globals';
import { parseRecord } from '../../../../shared/protocol/spf/record.ts';
import { words } from '../../../kit/answers.ts';
import { random } from '../../../kit/random.ts';

const PIECES = [
  ...words(`v=spf1 all include a mx ptr ip4 ip6 exists redirect exp x-y.z_1 + - ~ ? : = / // . % %% %_ %- %{ }
  %{i} %{ir} %{D2r.-+} %{c} %{p0} %{l99999999999999999999} example.org org. 192.0.2.1 2001:db8::1 ::
  /24 /0 //64 /129 0 32 255.255 é`),
  ...[' ', '  ', '\t', '\n', '\u0000', '\ud800', '\u{1f600}'],
];

describe('any record', () => {
  test('parses without an exception, and reports each invalid term', () => {
    for (let seed = 1; seed <= 20_000; seed += 1) {
      const below = random(seed);
      const text = `v=spf1 ${Array.from({ length: below(14) }, () => PIECES[below(PIECES.length)]).join('')}`;
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
