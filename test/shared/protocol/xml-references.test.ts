import { expect, test } from '@jest/globals';
import { escapeMarkup, expandReferences } from '../../../shared/protocol/xml-references.ts';
import { asWritten, byAnswer, printed, words } from '../../kit/answers.ts';

test('the recorded characters of references', () => {
  const codes = words(
    '0 8 9 a b c d e 1f 20 7f 80 d7ff d800 dfff e000 fffd fffe ffff 10000 10ffff 110000 ffffff 1000000',
  );
  const texts = [
    ...codes.flatMap((code) => [`&#x${code};`, `&#${Number.parseInt(code, 16)};`]),
    ...words(
      '&amp; &lt; &gt; &quot; &apos; &nbsp; &AMP; &amp &amp;lt; &; & a&b &#; &#x; &#xD; &#X41; &#0000065; &#00000065; &#x000041; &#x0000041;',
    ),
    ...words('&lt;&gt;&x;&#65; abc'),
  ];
  expect(
    byAnswer(asWritten(texts), (text) => printed(expandReferences(text, () => '[and]'))),
  ).toMatchSnapshot();
});

test('markup in content is written as references', () => {
  expect(escapeMarkup('<a b="c">&amp;</a>')).toBe('&lt;a b="c"&gt;&amp;amp;&lt;/a&gt;');
});
