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
    ['references are expanded', '<a>&lt;&#65;&#x1F600;&amp;amp;</a>', '<A😀&amp;'],
    ['CDATA sections are text', '<a>x<![CDATA[<b>&y;]]>z</a>', 'x<b>&y;z'],
    ['comments are left out', '<!-- - --><a>x<!-- <b> -->y</a><!---->', 'xy'],
    ['a byte order mark is left out', '\ufeff<a>x</a>', 'x'],
    ['names may be beyond ASCII', '<größe>x</größe >', 'x'],
    ['a declaration may say standalone', "<?xml version='1.0' standalone='yes' ?><a>x</a>", 'x'],
  ])('%s', (_, text, content) => {
    expect(parse(text)).toMatchObject({ ok: true, root: { text: content } });
  });

  test('line ends in attribute values become spaces', () => {
    expect(parse('<a x="1\n2"/>')).toMatchObject({ root: { attributes: [{ name: 'x', value: '1 2' }] } });
  });
});

describe('what is refused', () => {
  test.each([
    ['nothing', '', 'malformed'],
    ['plain text', 'This is not XML', 'malformed'],
    ['an element that is not closed', '<a><b></a>', 'malformed'],
    ['a root that is not closed', '<a>', 'malformed'],
    ['an end tag too many', '<a/></a>', 'malformed'],
    ['an end tag of another name', '<a></b>', 'malformed'],
    ['an end tag of a longer name', '<a></ab>', 'malformed'],
    ['a tag that does not end', '<a', 'malformed'],
    ['a second root', '<a/><b/>', 'malformed'],
    ['text behind the root', '<a/>x', 'malformed'],
    ['CDATA outside the root', '<![CDATA[x]]><a/>', 'malformed'],
    ['an attribute without value', '<a x/>', 'malformed'],
    ['an attribute without quotes', '<a x=1/>', 'malformed'],
    ['an attribute whose quote is not closed', '<a x="1/>', 'malformed'],
    ['attributes without space between them', '<a x="1"y="2"/>', 'malformed'],
    ['an attribute twice', '<a x="1" x="2"/>', 'malformed'],
    ['a less-than sign in a value', '<a x="<"/>', 'malformed'],
    ['a name that begins with a digit', '<1/>', 'malformed'],
    ['a space before the name', '< a/>', 'malformed'],
    ['two hyphens in a comment', '<a><!-- -- --></a>', 'malformed'],
    ['a comment that does not end', '<a><!-- </a>', 'malformed'],
    ['a CDATA section that does not end', '<a><![CDATA[</a>', 'malformed'],
    ['"]]>" in text', '<a>]]></a>', 'malformed'],
    ['a control character', '<a>\u0001</a>', 'malformed'],
    ['a reference to a control character', '<a>&#1;</a>', 'entity'],
    ['a reference to a surrogate', '<a>&#xD800;</a>', 'entity'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>', 'entity'],
    ['an unknown entity', '<a>&nbsp;</a>', 'entity'],
    ['an entity named like a property of objects', '<a>&toString;</a>', 'entity'],
    ['a bare ampersand', '<a x="&"/>', 'entity'],
    ['a document type', '<!DOCTYPE svg><a/>', 'doctype'],
    ['entities of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'doctype'],
    ['an element declaration', '<a><!ELEMENT b ANY></a>', 'doctype'],
    ['a style sheet', '<?xml-stylesheet href="x.css"?><a/>', 'processing-instruction'],
    ['a declaration that is not first', '\n<?xml version="1.0"?><a/>', 'processing-instruction'],
    ['a declaration without version', '<?xml encoding="utf-8"?><a/>', 'malformed'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>', 'not-utf-8'],
    ['too many levels', '<a>'.repeat(MAX_DEPTH + 1), 'too-deep'],
    ['too many elements', `<a>${'<b/>'.repeat(MAX_ELEMENTS)}</a>`, 'too-many'],
    [
      'too many attributes',
      `<a ${Array.from({ length: MAX_ATTRIBUTES + 1 }, (_, at) => `x${at}=""`).join(' ')}/>`,
      'too-many',
    ],
  ])('%s', (_, text, problem) => {
    expect(parse(text)).toMatchObject({ ok: false, problem });
  });

  test.each([
    ['octets that are not UTF-8', Uint8Array.of(0x3c, 0xff)],
    ['UTF-16', new Uint8Array(Buffer.from('\ufeff<a/>', 'utf16le'))],
    ['a compressed file', Uint8Array.of(0x1f, 0x8b, 8, 0)],
  ])('%s', (_, bytes) => {
    expect(parseXml(bytes)).toMatchObject({ ok: false, problem: 'not-utf-8' });
  });

  test('the line of the fault is told', () => {
    expect(parse('<a>\n\n<b></c></a>')).toMatchObject({ ok: false, line: 3 });
  });
});

test('whatever the text, the reader ends', () => {
  const seeds = [
    '<?xml version="1.0"?><a x="1" y=\'&lt;\'><b/>t&#65;<!-- c --><![CDATA[d]]></a>',
    '<svg xmlns="http://www.w3.org/2000/svg"><title>T</title></svg>',
  ];
  for (const text of mutations(seeds, 5_000)) expect(typeof parse(text).ok).toBe('boolean');
});

test('a file of 64 kB is read in linear time', () => {
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
