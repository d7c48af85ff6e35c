import { describe, expect, test } from '@jest/globals';
import { MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, parseXml } from '../../../../shared/protocol/bimi/xml.ts';
import { mutations } from '../mutations.ts';

const parse = (text: string) => parseXml(new TextEncoder().encode(text));

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

  test('has as many levels, elements and attributes as are allowed', () => {
    const attributes = Array.from({ length: MAX_ATTRIBUTES }, (_, at) => `x${at}=""`).join(' ');
    const levels = `${'<a>'.repeat(MAX_DEPTH)}${'</a>'.repeat(MAX_DEPTH)}`;
    for (const text of [`<a ${attributes}/>`, levels, `<a>${'<b/>'.repeat(MAX_ELEMENTS - 1)}</a>`])
      expect(parse(text)).toMatchObject({ ok: true });
  });

  test('has line breaks in attribute values replaced by spaces', () => {
    expect(parse('<a x="1\n2"/>')).toMatchObject({ root: { attributes: [{ name: 'x', value: '1 2' }] } });
  });
});

describe('an invalid document', () => {
  test.each([
    ['an empty text', '', 'document must contain a root element'],
    ['plain text', 'This is not XML', 'text data outside of root node'],
    ['an unclosed element', '<a><b></a>', 'unexpected close tag'],
    ['an unclosed root', '<a>', 'unclosed tag: a'],
    ['an end tag too many', '<a/></a>', 'unmatched closing tag: a'],
    ['an end tag of another name', '<a></b>', 'unexpected close tag'],
    ['an end tag of a longer name', '<a></ab>', 'unexpected close tag'],
    ['an unterminated tag', '<a', 'document must contain a root element'],
    ['a second root', '<a/><b/>', 'documents may contain only one root'],
    ['text after the root', '<a/>x', 'text data outside of root node'],
    ['CDATA outside the root', '<![CDATA[x]]><a/>', 'text data outside of root node'],
    ['an attribute without a value', '<a x/>', 'disallowed character in attribute name'],
    ['an attribute without quotes', '<a x=1/>', 'unquoted attribute value'],
    ['an attribute with an unclosed quote', '<a x="1/>', 'unexpected end'],
    ['attributes without space between them', '<a x="1"y="2"/>', 'no whitespace between attributes'],
    ['a duplicate attribute', '<a x="1" x="2"/>', 'duplicate attribute: x'],
    ['a less-than sign in a value', '<a x="<"/>', 'disallowed character'],
    ['a name that starts with a digit', '<1/>', 'disallowed character in tag name'],
    ['a space before the name', '< a/>', 'disallowed character in tag name'],
    ['two hyphens in a comment', '<a><!-- -- --></a>', 'malformed comment'],
    ['an unterminated comment', '<a><!-- </a>', 'unclosed tag: a'],
    ['an unterminated CDATA section', '<a><![CDATA[</a>', 'unclosed tag: a'],
    ['"]]>" in text', '<a>]]></a>', 'is disallowed in char data'],
    ['a control character', '<a>\u0001</a>', 'disallowed character'],
    ['a reference to a control character', '<a>&#1;</a>', 'malformed character entity'],
    ['a reference to a surrogate', '<a>&#xD800;</a>', 'malformed character entity'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>', 'malformed character entity'],
    ['an unknown entity', '<a>&nbsp;</a>', 'undefined entity'],
    ['an entity named like a property of objects', '<a>&toString;</a>', 'undefined entity'],
    ['a bare ampersand', '<a x="&"/>', 'unexpected end'],
    ['a document type', '<!DOCTYPE svg><a/>', 'a document type declaration'],
    ['entity declarations', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'a document type declaration'],
    ['an element declaration', '<a><!ELEMENT b ANY></a>', 'incorrect syntax'],
    ['a style sheet', '<?xml-stylesheet href="x.css"?><a/>', 'a processing instruction'],
    [
      'a declaration that is not first',
      '\n<?xml version="1.0"?><a/>',
      'must be at the start of the document',
    ],
    ['a declaration without a version', '<?xml encoding="utf-8"?><a/>', 'expected one of version'],
    [
      'another encoding',
      '<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
      'the declared encoding is not UTF-8',
    ],
    [
      'too many levels',
      `${'<a>'.repeat(MAX_DEPTH + 1)}${'</a>'.repeat(MAX_DEPTH + 1)}`,
      'more than 64 nesting levels',
    ],
    ['too many elements', `<a>${'<b/>'.repeat(MAX_ELEMENTS)}</a>`, 'more than 5000 elements'],
    [
      'too many attributes',
      `<a ${Array.from({ length: MAX_ATTRIBUTES + 1 }, (_, at) => `x${at}=""`).join(' ')}/>`,
      'more than 100 attributes',
    ],
  ])('%s', (_, text, detail) => {
    expect(parse(text)).toMatchObject({ ok: false, detail: expect.stringContaining(detail) });
  });

  test.each([
    ['octets that are not UTF-8', Uint8Array.of(0x3c, 0xff)],
    ['UTF-16', new Uint8Array(Buffer.from('\ufeff<a/>', 'utf16le'))],
    ['a compressed file', Uint8Array.of(0x1f, 0x8b, 8, 0)],
  ])('%s', (_, bytes) => {
    expect(parseXml(bytes)).toMatchObject({ ok: false, detail: 'the text is not UTF-8' });
  });

  test('is reported with the line of the fault', () => {
    expect(parse('<a>\n\n<b></c></a>')).toMatchObject({ ok: false, line: 3 });
  });
});

test('the parser ends for any text', () => {
  const seeds = [
    '<?xml version="1.0"?><a x="1" y=\'&lt;\'><b/>t&#65;<!-- c --><![CDATA[d]]></a>',
    '<svg xmlns="http://www.w3.org/2000/svg"><title>T</title></svg>',
  ];
  for (const text of mutations(seeds, 5_000)) expect(typeof parse(text).ok).toBe('boolean');
});

test('parses 64 kB in linear time', () => {
  const fillers = [
    '<',
    '<a>',
    '<a ',
    'x="" ',
    '&',
    '&amp;',
    '<!--',
    ']]>',
    '<?xml ',
    ' ',
    '</a>',
    '<![CDATA[',
    '=',
    '"',
  ];
  const started = performance.now();
  for (const filler of fillers) {
    const filling = filler.repeat(Math.floor(65_000 / filler.length));
    for (const text of [filling, `<a>${filling}`, `<a x="${filling}`, `<a ${filling}`]) parse(text);
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});
