import { expect, test } from '@jest/globals';
import { alignmentOf } from '../../../../shared/protocol/dmarc/alignment.ts';
import { byAnswer, listed, type Named } from '../../../kit/answers.ts';

test('recorded alignments (RFC 9989 section 4.4)', () => {
  const placed =
    listed(`example.org example.org | mail.example.org example.org | unit.example.org unit.example.org | a.net a.net
      a.org null`);
  const place = (text: string) => {
    const [domain = '', home = ''] = text.split(' ');
    return { domain, organizationalDomain: home === 'null' ? null : home };
  };
  const pairs = (['r', 's'] as const).flatMap((mode) =>
    placed.flatMap((a) =>
      placed.map(
        (b): Named<Parameters<typeof alignmentOf>> => [`${mode}: ${a}, ${b}`, [place(a), place(b), mode]],
      ),
    ),
  );
  expect(byAnswer(pairs, (of) => alignmentOf(...of))).toMatchSnapshot();
});
