import { describe, expect, test } from '@jest/globals';
import { inspectLogo, MAX_LOGO_OCTETS } from '../../../../shared/protocol/bimi/svg.ts';
import { hasErrors } from '../../../../shared/protocol/findings/finding.ts';
import { byAnswer, listed, type Named, printed, words } from '../../../kit/answers.ts';
import { corpusBytes, corpusJson, corpusSuite } from '../../../kit/corpus.ts';
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

/** The findings of a logo with its root and its children written otherwise. */
const answer = (text: string) =>
  inspect(text)
    .findings.map(({ id, severity, arguments: values }) =>
      `${severity} ${id.replace('bimi-logo-', '')} ${Object.values(values).join(' ')}`.trim(),
    )
    .join(' | ') || 'no findings';

describe('recorded findings', () => {
  test('about contents', () => {
    const contents = [
      '<g id="a" transform="scale(2)" fill="none"><g><path d="M0 0z"/></g></g>',
      '<text x="1" font-size="3">A &amp; B</text><textArea width="9">C</textArea>',
      '<rect x="1" rx="1"/><line x1="0"/><ellipse rx="1"/><polyline points=""/><polygon points=""/>',
      '<metadata>Example</metadata>',
      '<metadata><rect/></metadata>',
      '<defs><linearGradient id="g" x1="0"><stop offset="0"/></linearGradient></defs><rect fill="url(#g)"/>',
      '<rect fill="url( \'#g\' ) red"/>',
      '<use href="#r"/>',
      ...listed(`<g fill-rule=" evenodd " stroke-linecap="inherit"/> | <g font-weight="700" text-anchor="middle"/>
      <g id="_Ebene-1.ä"/><g xml:id="層"/> | <g>text</g> | text
      <g id="Group 12"/> | <g xml:id="1a"/> | <g id=""/> | <g id=" a "/> | <path stroke-linejoin="arcs"/>
      <linearGradient gradientUnits="userspaceonuse"/>
      <text editable="simple">x</text> | <stop offset="0"/> | <g><title>x</title></g> | <RECT/>
      <g xmlns="http://www.w3.org/1999/xhtml"/> | <g/><!-- x -->`),
      '<use xlink:href="#r"/>',
      '<use xlink:href="#r" xmlns:xlink="urn:x"/>',
      '<use xlink:href="#r" xmlns:xlink="http://www.w3.org/1999/xlink"/>',
      ...listed(`<g xmlns:a="urn:x"/> | <g fill="url(#a) url(#b)"/> | <g fill="url (#a)"/> | <g fill="curl"/>
      <use href=" #r"/> | <g/><rect x="0"/><g y="0"/>
      <switch><script/><image/></switch> | <g><g><script/></g><image/></g><g><set/></g>
      \n<rect style="x"/>\n<rect style="x"/> | <use href="a"/><use href="b"/>`),
    ];
    expect(
      byAnswer(
        contents.map((content): Named<string> => [printed(content), withContent(content)]),
        answer,
      ),
    ).toMatchSnapshot();
  });

  test('about the root', () => {
    const whole = withContent('');
    const roots: readonly Named<string>[] = [
      ...listed(`zoomAndPan="disable" | zoomAndPan="magnify" | focusable="false" | preserveAspectRatio="xMidYMid  meet"
      externalResourcesRequired="true" | width="100%" height="64" | height="1%" | width="64px"`).map(
        (attributes): Named<string> => [attributes, withRoot(attributes)],
      ),
      ...[
        ...listed(`0 0 64 | 0 0 64 0 | 0 0 0 64 | 0 0 -64 -64 | 0 0 big big | 0 0 64 32 | 0,0,64,64 | 0 0 64 64 1
          0 0 1 1 | 0 0 0.5 0.5 | 0 0 1e2 100 | 0 0 Infinity Infinity`),
        ...['', ' 0  0 64.5 64.5 '],
        `0 0 64 ${' '.repeat(190)} 64`,
      ].map((box): Named<string> => [`viewBox ${printed(box)}`, whole.replace('0 0 64 64', box)]),
      ...listed(
        `xmlns="http://www.w3.org/2000/svg" | version="1.2" | baseProfile="tiny-ps" | viewBox="0 0 64 64"`,
      ).map((attribute): Named<string> => [`without ${attribute}`, whole.replace(attribute, '')]),
      ['another profile', whole.replace('tiny-ps', 'tiny')],
      ['another version', whole.replace('1.2', '1.1')],
      ['another namespace', whole.replace('2000/svg', '1999/xhtml')],
      ['XLink', svg(`${HEAD}<use xlink:href="#r"/>`, `${ROOT} xmlns:xlink="http://www.w3.org/1999/xlink"`)],
      ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
      ['a long root', `<${'x'.repeat(50)}/>`],
      ['an unclosed element', svg(`${HEAD}<g>`)],
      ['no text', ''],
    ];
    expect(byAnswer(roots, answer)).toMatchSnapshot();
  });

  test('about titles and descriptions', () => {
    const heads = [
      '',
      ...listed(`<desc>x</desc> | <title>A</title> | <title> \n</title><desc>x</desc> | <title>A</title><desc/>
      <title>A</title><desc> </desc><desc>x</desc>`),
      ...listed(`<desc>x</desc><title>A</title> | <title>A</title><desc>x</desc><title>B</title> | <title/><title>B</title>
      <title>Untitled</title> | <title> LOGO </title> | <title>logos</title>`),
      ...[63, 64, 65].map((length) => `<title>${'x'.repeat(length)}</title><desc>x</desc>`),
    ];
    expect(
      byAnswer(
        heads.map((head): Named<string> => [printed(head), svg(head)]),
        answer,
      ),
    ).toMatchSnapshot();
  });

  test('at limits', () => {
    const frame = withContent('<!---->').length;
    const limits: readonly Named<string>[] = [
      ...[-1, 0, 1].map(
        (more): Named<string> => [
          `${MAX_LOGO_OCTETS + more} octets`,
          withContent(`<!--${'x'.repeat(MAX_LOGO_OCTETS - frame + more)}-->`),
        ],
      ),
      ['too large and no logo', 'x'.repeat(MAX_LOGO_OCTETS + 1)],
    ];
    expect(byAnswer(limits, answer)).toMatchSnapshot();
    const many = [19, 20, 21].map(
      (count) =>
        inspect(withContent(Array.from({ length: count }, (_, at) => `<e${at}/>`).join(''))).findings.length,
    );
    expect(many).toEqual([19, 20, 20]);
  });
});

describe('a logo that matches the profile', () => {
  test('returns its title', () => {
    expect(inspect(svg('<title> Example\n</title>')).title).toBe('Example');
  });
});

describe('a violation of the profile', () => {
  // Whatever runs code, fetches something or moves.
  test.each(
    words(
      'script s:script animate animateTransform animateColor set a image video foreignObject style filter clipPath listener switch svg',
    ),
  )('is the element %s', (name) => {
    const declared = name.includes(':') ? ' xmlns:s="http://www.w3.org/2000/svg"' : '';
    for (const content of [`<${name}${declared}/>`, `<g><g><${name}${declared}/></g></g>`])
      expect(findingsOf(withContent(content))).toEqual([`bimi-logo-element ${name}`]);
  });

  test.each(words('onclick onload style filter xml:base inkscape:label x y'))(
    'is the attribute %s of the root',
    (name) => {
      expect(findingsOf(withRoot(`${name}="x" xmlns:inkscape="urn:x"`))).toEqual([
        `bimi-logo-attribute ${name}`,
      ]);
    },
  );

  test.each([
    ['href', '<use href="https://evil.example/#r"/>'],
    ['href', '<use href="a.svg#r"/>'],
    ['fill', '<rect fill="url(https://evil.example/#g)"/>'],
    ['stroke', '<rect stroke=\'URL( "//evil.example/#g" )\'/>'],
    ['fill', '<rect fill="url(data:image/svg+xml,x)"/>'],
    ['fill', '<rect fill="url(#a) url(b#c)"/>'],
    ['fill', '<rect fill="\\75rl(https://evil.example/#g)"/>'],
  ])('is a reference to another document: %s in %s', (attribute, content) => {
    expect(findingsOf(withContent(content))).toEqual([`bimi-logo-reference ${attribute}`]);
  });

  test.each([
    ['a document type', `<!DOCTYPE svg>${withContent('')}`],
    ['an entity bomb', `<!DOCTYPE s [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${withContent('&b;')}`],
    ['a style sheet instruction', `<?xml-stylesheet href="x"?>${withContent('')}`],
  ])('is %s', (_, text) => {
    expect(findingsOf(text)).toEqual(['bimi-logo-unreadable']);
    expect(hasErrors(inspect(text).findings)).toBe(true);
  });

  test('is a compressed file', () => {
    const { findings } = inspectLogo(Uint8Array.of(0x1f, 0x8b, 8, 0));
    expect(findings.map(({ id }) => id)).toEqual(['bimi-logo-unreadable']);
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
