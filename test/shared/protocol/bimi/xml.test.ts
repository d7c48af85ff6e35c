import { describe, expect, test } from '@jest/globals';
import { MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, parseXml } from '../../../../shared/protocol/bimi/xml.ts';
import { asWritten, byAnswer, listed, type Named, words } from '../../../kit/answers.ts';
import { mutations } from '../mutations.ts';

const parse = (text: string) => parseXml(new TextEncoder().encode(text));

function answer(text: string): string {
  const parsed = parse(text);
  return parsed.ok
    ? `line ${parsed.root.line}, ${JSON.stringify(parsed.root.text)}`
    : `${parsed.line}: ${parsed.detail}`;
}

describe('a document', () => {
  test('is read as a tree with attributes, text and lines', () => {
    const text = '<?xml version="1.0" encoding="UTF-8"?>\n<a x="1" y=\'2\'>\n  <b/>one<c>two</c>\n</a>\n';
    expect(parse(text)).toEqual({
      ok: true,
      root: {
        name: 'a',
        attributes: [
          { name: 'x', value: '1' },
          { name: 'y', value: '2' },
        ],
        children: [
          { name: 'b', attributes: [], children: [], text: '', line: 3 },
          { name: 'c', attributes: [], children: [], text: 'two', line: 3 },
        ],
        text: '\n  one\n',
        line: 2,
      },
    });
  });

  test.each([
    ['expands references', '<a>&lt;&#65;&#x1F600;&amp;amp;</a>', '<A😀&amp;'],
    ['reads CDATA sections as text', '<a>x<![CDATA[<b>&y;]]>z</a>', 'x<b>&y;z'],
    ['skips comments', '<!-- - --><a>x<!-- <b> -->y</a><!---->', 'xy'],
    ['skips a byte order mark', '\ufeff<a>x</a>', 'x'],
    ['accepts names that are special in JavaScript', '<constructor __proto__="1">x</constructor>', 'x'],
    ['accepts non-ASCII names', '<größe>x</größe >', 'x'],
    ['accepts a standalone declaration', "<?xml version='1.0' standalone='yes' ?><a>x</a>", 'x'],
  ])('%s', (_, text, content) => {
    expect(parse(text)).toMatchObject({ ok: true, root: { text: content } });
  });

  test('has the line on which each start tag begins', () => {
    const root = { line: 2, children: [{ line: 3 }, { line: 6 }] };
    expect(parse('\n<a\n><b\n\nx="1"\n/><c\r\n/></a>')).toMatchObject({ ok: true, root });
  });

  test('has line breaks in attribute values replaced by spaces', () => {
    expect(parse('<a x="1\n2"/>')).toMatchObject({ root: { attributes: [{ name: 'x', value: '1 2' }] } });
  });
});

describe('an invalid document', () => {
  test('is reported as recorded', () => {
    const texts = [
      '',
      ...listed(`This is not XML | <a><b></a> | <a> | <a/></a> | <a></b> | <a></ab> | <a | <a/><b/> | <a/>x
      <![CDATA[x]]><a/>`),
      ...listed(`<a x/> | <a x=1/> | <a x="1/> | <a x="1"y="2"/> | <a x="1" x="2"/> | <a x="<"/> | <1/> | < a/>
      <a><!-- -- --></a>
      <a><!-- </a> | <a><![CDATA[</a> | <a>]]></a> | <a>\u0001</a> | <a>&#1;</a> | <a>&#xD800;</a>
      <a>&#x110000;</a>`),
      // There is nothing to expand or to fetch.
      ...listed(`<a>&nbsp;</a> | <a>&toString;</a> | <a x="&"/> | <!DOCTYPE svg><a/>
      <!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>
      <a><!ELEMENT b ANY></a> | <?xml-stylesheet href="x.css"?><a/> | <a><?b?></a> | \n<?xml version="1.0"?><a/>
      <?xml encoding="utf-8"?><a/>`),
      ...words('ISO-8859-1 UTF-8 utf-8 US-ASCII utf8').map(
        (encoding) => `<?xml version="1.0" encoding="${encoding}"?><a/>`,
      ),
      ...['<a>\n\n<b></c></a>', '\n<a\n>&x;</a>', `<a><${'b'.repeat(300)}></c></a>`],
    ];
    expect(byAnswer(asWritten(texts), answer)).toMatchSnapshot();
    const attributes = (count: number) => Array.from({ length: count }, (_, at) => `x${at}=""`).join(' ');
    const limits = [0, 1].flatMap((more): Named<string>[] => [
      [`${MAX_DEPTH + more} levels`, `${'<a>'.repeat(MAX_DEPTH + more)}${'</a>'.repeat(MAX_DEPTH + more)}`],
      [`${MAX_ELEMENTS + more} elements`, `<a>${'<b/>'.repeat(MAX_ELEMENTS - 1 + more)}</a>`],
      [`${MAX_ATTRIBUTES + more} attributes`, `<a ${attributes(MAX_ATTRIBUTES + more)}/>`],
    ]);
    expect(byAnswer(limits, (text) => answer(text).slice(0, 60))).toMatchSnapshot('limits');
  });

  test.each([
    ['octets that are not UTF-8', Uint8Array.of(0x3c, 0xff)],
    ['UTF-16', new Uint8Array(Buffer.from('\ufeff<a/>', 'utf16le'))],
    ['a compressed file', Uint8Array.of(0x1f, 0x8b, 8, 0)],
  ])('%s', (_, bytes) => {
    expect(parseXml(bytes)).toMatchObject({ ok: false, detail: 'the text is not UTF-8' });
  });
});

test('the parser ends for any text', () => {
  const seeds = [
    '<?xml version="1.0"?><a x="1" y=\'&lt;\'><b/>t&#65;<!-- c --><![CDATA[d]]></a>',
    '<svg xmlns="http://www.w3.org/2000/svg"><title>T</title></svg>',
  ];
  for (const text of mutations(seeds, 5_000)) expect(typeof parse(text).ok).toBe('boolean');
});
