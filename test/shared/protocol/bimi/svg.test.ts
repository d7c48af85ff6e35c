import { describe, expect, test } from '@jest/globals';
import { inspectLogo, MAX_LOGO_OCTETS } from '../../../../shared/protocol/bimi/svg.ts';
import { hasErrors } from '../../../../shared/protocol/findings/finding.ts';
import { corpusBytes, corpusJson, corpusSuite } from '../../../kit/corpus.ts';
import { messageOf } from '../../../kit/findings.ts';
import { mutations } from '../mutations.ts';

const inspect = (text: string) => inspectLogo(new TextEncoder().encode(text));
const findingsOf = (text: string) =>
  inspect(text).findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));

const ROOT = 'xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 64 64"';
const HEAD = '<title>Example</title><desc>Two circles</desc>';
const SHAPES = '<circle cx="32" cy="32" r="30" fill="#123456"/>';
const svg = (content: string, root = ROOT) => `<svg ${root}>${content}</svg>`;
const withContent = (content: string) => svg(HEAD + SHAPES + content);
const withRoot = (attributes: string) => svg(HEAD + SHAPES, `${ROOT} ${attributes}`);

describe('a logo that matches the profile', () => {
  test.each([
    ['a plain drawing', withContent('')],
    [
      'an XML declaration and comments',
      `<?xml version="1.0"?><!-- made by hand -->${withContent('<!-- x -->')}`,
    ],
    ['groups', withContent('<g id="a" transform="scale(2)" fill="none"><g><path d="M0 0z"/></g></g>')],
    [
      'every shape',
      withContent(
        '<rect x="1" y="1" width="2" height="2" rx="1"/><line x1="0"/><ellipse rx="1"/><polyline points=""/><polygon points=""/>',
      ),
    ],
    ['text', withContent('<text x="1" y="2" font-size="3">A &amp; B</text><textArea width="9">C</textArea>')],
    [
      'a local gradient',
      withContent(
        '<defs><linearGradient id="g" x1="0"><stop offset="0" stop-color="red"/></linearGradient></defs><rect fill="url(#g)"/>',
      ),
    ],
    ['a quoted local reference', withContent('<rect fill="url( \'#g\' ) red"/>')],
    ['an element used again', withContent('<defs><rect id="r"/></defs><use href="#r"/>')],
    [
      'an element used again through XLink',
      svg(`${HEAD}<use xlink:href="#r"/>`, `${ROOT} xmlns:xlink="http://www.w3.org/1999/xlink"`),
    ],
    ['metadata as text', withContent('<metadata>Example Inc.</metadata>')],
    [
      'properties with keywords from their lists',
      withContent(
        '<g fill-rule=" evenodd " stroke-linecap="inherit"><text font-weight="700" text-anchor="middle">A</text></g>',
      ),
    ],
    ['names of elements in any script', withContent('<g id="_Ebene-1.ä"/><g xml:id="層"/>')],
    [
      'attributes with a single permitted value',
      withRoot('zoomAndPan="disable" focusable="false" preserveAspectRatio="xMidYMid  meet"'),
    ],
  ])('may contain %s', (_, text) => {
    expect(findingsOf(text)).toEqual([]);
  });

  test('returns its title', () => {
    expect(inspect(svg('<title> Example\n</title>')).title).toBe('Example');
  });
});

describe('a violation of the profile', () => {
  test.each([
    ['a script', withContent('<script>alert(1)</script>'), 'bimi-logo-element script'],
    ['a nested script', withContent('<g><g><script/></g></g>'), 'bimi-logo-element script'],
    [
      'a disguised script',
      withContent('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'),
      'bimi-logo-element s:script',
    ],
    ['an animation', withContent('<rect><animate attributeName="x"/></rect>'), 'bimi-logo-element animate'],
    ['a transform animation', withContent('<animateTransform/>'), 'bimi-logo-element animateTransform'],
    ['a colour animation', withContent('<animateColor/>'), 'bimi-logo-element animateColor'],
    ['a set element', withContent('<set/>'), 'bimi-logo-element set'],
    ['a link', withContent('<a href="#x"><rect/></a>'), 'bimi-logo-element a'],
    ['a raster image', withContent('<image href="data:image/png;base64,AAAA"/>'), 'bimi-logo-element image'],
    ['a video', withContent('<video/>'), 'bimi-logo-element video'],
    ['foreign content', withContent('<foreignObject/>'), 'bimi-logo-element foreignObject'],
    ['a style sheet', withContent('<style>*{fill:red}</style>'), 'bimi-logo-element style'],
    ['a filter', withContent('<filter id="f"/>'), 'bimi-logo-element filter'],
    ['a clip path', withContent('<clipPath id="c"/>'), 'bimi-logo-element clipPath'],
    ['a handler', withContent('<listener/>'), 'bimi-logo-element listener'],
    ['a switch', withContent('<switch/>'), 'bimi-logo-element switch'],
    ['a stop outside a gradient', withContent('<stop offset="0"/>'), 'bimi-logo-element stop'],
    ['a title in a group', withContent('<g><title>x</title></g>'), 'bimi-logo-element title'],
    ['an element in metadata', withContent('<metadata><rect/></metadata>'), 'bimi-logo-element rect'],
    ['an element in another case', withContent('<RECT/>'), 'bimi-logo-element RECT'],
    ['an svg inside', withContent('<svg/>'), 'bimi-logo-element svg'],
    ['an event handler', withContent('<rect onclick="x()"/>'), 'bimi-logo-attribute onclick'],
    ['an event handler on the root', withRoot('onload="x()"'), 'bimi-logo-attribute onload'],
    ['a style attribute', withContent('<rect style="fill:red"/>'), 'bimi-logo-attribute style'],
    ['a filter attribute', withContent('<rect filter="url(#f)"/>'), 'bimi-logo-attribute filter'],
    ['another base address', withRoot('xml:base="https://evil.example/"'), 'bimi-logo-attribute xml:base'],
    [
      'an editor-specific attribute',
      withContent('<g inkscape:label="x" xmlns:inkscape="urn:x"/>'),
      'bimi-logo-attribute inkscape:label',
    ],
    ['XLink without declaration', withContent('<use xlink:href="#r"/>'), 'bimi-logo-attribute xlink:href'],
    [
      'XLink with another prefix',
      withContent('<use xlink:href="#r" xmlns:xlink="urn:x"/>'),
      'bimi-logo-attribute xlink:href',
    ],
    ['x on the root', withRoot('x="0"'), 'bimi-logo-attribute x'],
    ['y on the root', withRoot('y="0"'), 'bimi-logo-attribute y'],
    [
      'a use element that references another document',
      withContent('<use href="https://evil.example/#r"/>'),
      'bimi-logo-reference href',
    ],
    [
      'a use element with a relative reference',
      withContent('<use href="a.svg#r"/>'),
      'bimi-logo-reference href',
    ],
    [
      'a paint that references another document',
      withContent('<rect fill="url(https://evil.example/#g)"/>'),
      'bimi-logo-reference fill',
    ],
    [
      'a paint with a quoted reference to another document',
      withContent('<rect stroke=\'URL( "//evil.example/#g" )\'/>'),
      'bimi-logo-reference stroke',
    ],
    [
      'a paint with a data URL',
      withContent('<rect fill="url(data:image/svg+xml,x)"/>'),
      'bimi-logo-reference fill',
    ],
    [
      'a second paint that references another document',
      withContent('<rect fill="url(#a) url(b#c)"/>'),
      'bimi-logo-reference fill',
    ],
    [
      'a paint with an escape',
      withContent('<rect fill="\\75rl(https://evil.example/#g)"/>'),
      'bimi-logo-reference fill',
    ],
    ['text in a group', withContent('<g>text</g>'), 'bimi-logo-text g'],
    ['text in the root', withContent('text'), 'bimi-logo-text svg'],
    ['zooming', withRoot('zoomAndPan="magnify"'), 'bimi-logo-attribute-value zoomAndPan'],
    [
      'external resources',
      withRoot('externalResourcesRequired="true"'),
      'bimi-logo-attribute-value externalResourcesRequired',
    ],
    ['editable text', withContent('<text editable="simple">x</text>'), 'bimi-logo-attribute-value editable'],
    [
      'an invalid property keyword',
      withContent('<path stroke-linejoin="arcs"/>'),
      'bimi-logo-attribute-value stroke-linejoin',
    ],
    [
      'an invalid gradient unit',
      withContent('<linearGradient gradientUnits="userspaceonuse"/>'),
      'bimi-logo-attribute-value gradientUnits',
    ],
    ['a name with a space', withContent('<g id="Group 12"/>'), 'bimi-logo-attribute-value id'],
    ['a name that starts with a digit', withContent('<g xml:id="1a"/>'), 'bimi-logo-attribute-value xml:id'],
    ['an empty name', withContent('<g id=""/>'), 'bimi-logo-attribute-value id'],
    ['another profile', withContent('').replace('tiny-ps', 'tiny'), 'bimi-logo-attribute-value baseProfile'],
    ['another version', withContent('').replace('1.2', '1.1'), 'bimi-logo-attribute-value version'],
    ['another namespace', withContent('').replace('2000/svg', '1999/xhtml'), 'bimi-logo-namespace'],
    [
      'another namespace inside',
      withContent('<g xmlns="http://www.w3.org/1999/xhtml"/>'),
      'bimi-logo-namespace',
    ],
    ['no namespace', withContent('').replace(/xmlns="[^"]*"/, ''), 'bimi-logo-namespace'],
    ['no version', withContent('').replace('version="1.2"', ''), 'bimi-logo-attribute-missing version'],
    [
      'no profile',
      withContent('').replace('baseProfile="tiny-ps"', ''),
      'bimi-logo-attribute-missing baseProfile',
    ],
    ['no title', svg(`<desc>x</desc>${SHAPES}`), 'bimi-logo-title-missing'],
    ['an empty title', svg(`<title> \n</title><desc>x</desc>${SHAPES}`), 'bimi-logo-title-empty'],
    ['a second title', svg(`${HEAD}<title>x</title>`), 'bimi-logo-title-repeated'],
    ['a title after the drawing', svg(SHAPES + HEAD), 'bimi-logo-title-not-first'],
    ['an empty description', svg('<title>Example</title><desc/>'), 'bimi-logo-description-empty'],
    ['a viewBox of three numbers', withContent('').replace('0 0 64 64', '0 0 64'), 'bimi-logo-view-box'],
    ['a viewBox without height', withContent('').replace('0 0 64 64', '0 0 64 0'), 'bimi-logo-view-box'],
    [
      'a viewBox with a negative size',
      withContent('').replace('0 0 64 64', '0 0 -64 -64'),
      'bimi-logo-view-box',
    ],
    ['a viewBox with words', withContent('').replace('0 0 64 64', '0 0 big big'), 'bimi-logo-view-box'],
    ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'bimi-logo-root'],
    ['a document type', `<!DOCTYPE svg>${withContent('')}`, 'bimi-logo-unreadable'],
    [
      'an entity bomb',
      `<!DOCTYPE s [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${withContent('&b;')}`,
      'bimi-logo-unreadable',
    ],
    ['a style sheet instruction', `<?xml-stylesheet href="x"?>${withContent('')}`, 'bimi-logo-unreadable'],
    ['an unclosed element', svg(`${HEAD}<g>`), 'bimi-logo-unreadable'],
    ['an empty text', '', 'bimi-logo-unreadable'],
  ])('is %s', (_, text, expected) => {
    expect(findingsOf(text)).toEqual([expected]);
    expect(hasErrors(inspect(text).findings)).toBe(true);
  });

  test('is a compressed file', () => {
    const { findings } = inspectLogo(Uint8Array.of(0x1f, 0x8b, 8, 0));
    expect(findings.map(({ id }) => id)).toEqual(['bimi-logo-unreadable']);
  });

  test('is reported once with its first line and its count', () => {
    const { findings } = inspect(withContent(`\n${'<rect style="x"/>'.repeat(30)}`));
    expect(findings.map(messageOf)).toEqual([
      'The style attribute is not allowed on rect (line 2, 30 times in total).',
    ]);
  });

  test('is not reported again for its descendants', () => {
    expect(findingsOf(withContent('<switch><script/><image/></switch>'))).toEqual([
      'bimi-logo-element switch',
    ]);
  });

  test('is reported from the outside in, in document order', () => {
    const text = withContent('<g><g><script/></g><image/></g><g><set/></g>');
    const elements = ['image', 'script', 'set'].map((name) => `bimi-logo-element ${name}`);
    expect(findingsOf(text)).toEqual(elements);
  });

  test('is reported briefly, however many there are', () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `<e${at}/>`).join('');
    const { findings } = inspect(withContent(many));
    expect(findings).toHaveLength(20);
    expect(JSON.stringify(inspect(withContent(`<${'x'.repeat(30_000)}/>`)).findings).length).toBeLessThan(
      1_000,
    );
  });
});

describe('advice for a logo', () => {
  test.each([
    [
      'a viewBox that is not square',
      withContent('').replace('0 0 64 64', '0 0 64 32'),
      'bimi-logo-not-square',
      'warning',
    ],
    ['no viewBox', withContent('').replace('viewBox="0 0 64 64"', ''), 'bimi-logo-not-square', 'warning'],
    ['a relative size', withRoot('width="100%" height="64"'), 'bimi-logo-relative-size width', 'warning'],
    [
      'a long title',
      svg(`<title>${'x'.repeat(65)}</title><desc>x</desc>`),
      'bimi-logo-title-long',
      'warning',
    ],
    [
      'a placeholder title of the editor',
      svg('<title>Untitled</title><desc>x</desc>'),
      'bimi-logo-title-generic',
      'warning',
    ],
    ['no description', svg('<title>Example</title>'), 'bimi-logo-description-missing', 'notice'],
    [
      'more than 32 kB',
      withContent(`<!--${'x'.repeat(MAX_LOGO_OCTETS)}-->`),
      'bimi-logo-too-large',
      'warning',
    ],
  ])('is given for %s', (_, text, expected, severity) => {
    expect(findingsOf(text)).toEqual([expected]);
    expect(inspect(text).findings[0]?.severity).toBe(severity);
  });

  test('is not given for exactly 32 kB', () => {
    const frame = withContent('<!---->').length;
    expect(findingsOf(withContent(`<!--${'x'.repeat(MAX_LOGO_OCTETS - frame)}-->`))).toEqual([]);
  });
});

test('the check ends for any text', () => {
  const seeds = [
    withContent('<g fill="url(#a)"><use href="#b"/></g>'),
    withRoot('width="1"'),
    svg('<title>x</title>'),
  ];
  for (const text of mutations(seeds, 3_000)) expect(Array.isArray(inspect(text).findings)).toBe(true);
});

corpusSuite('the logos of the corpus', () => {
  const { files } = corpusJson('manifest.json');
  for (const { path, kind, expected } of files) {
    const verdict = String(expected?.origin_verdict ?? '').split(' ')[0] ?? '';
    if (kind !== 'bimi-svg' || expected.disputed || !['valid', 'invalid', 'warning'].includes(verdict))
      continue;
    test(`${path} is ${expected.origin_verdict}`, () => {
      const { title, findings } = inspectLogo(corpusBytes(path));
      expect(hasErrors(findings)).toBe(verdict === 'invalid');
      if (verdict === 'warning') expect(findings.some(({ severity }) => severity === 'warning')).toBe(true);
      if (verdict !== 'invalid') expect(title).toBe(expected.computed.title);
    });
  }
});
