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
});
