import { gzipSync } from 'node:zlib';
import { bimiLogoRules } from '../../../../../shared/protocol/findings/bimi-logo.ts';
import { type BimiInput, inspectBimiOf, logoOf } from './bimi-world.ts';
import { examplesOf } from './example.ts';

const logo = (parts: Parameters<typeof logoOf>[0]): BimiInput => ({ logo: logoOf(parts) });
const root = (attributes: string): BimiInput => logo({ root: attributes });
const inBox = (box: string, more = ''): BimiInput =>
  root(`version="1.2" baseProfile="tiny-ps" viewBox="${box}"${more}`);
const withDrawing = (drawing: string): BimiInput => logo({ drawing });

/** A logo of the given size in bytes, most of it a comment. */
function logoOfSize(octets: number): BimiInput {
  const rest = octets - logoOf({ drawing: '<!---->' }).length;
  return withDrawing(`<!--${'x'.repeat(rest)}-->`);
}

/** Without a certificate, which would contain another logo. */
const inspect = (input: BimiInput) =>
  inspectBimiOf({ records: ['v=BIMI1; l=https://example.org/logo.svg'], ...input });

export const bimiLogoExamples = examplesOf<BimiInput>('bimi', bimiLogoRules, inspect, {
  'bimi-logo-media-type': [
    { logoPage: { type: 'image/svg', body: logoOf() } },
    { logoPage: { type: 'Image/SVG+XML; charset=utf-8', body: logoOf() } },
  ],
  'bimi-logo-compressed': [{ logo: gzipSync(logoOf()) }, { logo: logoOf() }],
  'bimi-logo-too-large': [logoOfSize(32_769), logoOfSize(32_768)],
  'bimi-logo-unreadable': [withDrawing('<g>'), withDrawing('<g></g>')],
  'bimi-logo-root': [{ logo: '<html/>' }, { logo: '<svg/>' }],
  'bimi-logo-namespace': [
    logo({ xmlns: 'http://www.w3.org/2000/svg/' }),
    logo({ xmlns: 'http://www.w3.org/2000/svg' }),
  ],
  'bimi-logo-attribute-missing': [
    root('version="1.2" viewBox="0 0 9 9"'),
    root('version="1.2" baseProfile="tiny" viewBox="0 0 9 9"'),
  ],
  'bimi-logo-attribute-value': [root('version="1.2" baseProfile="tiny" viewBox="0 0 9 9"'), inBox('0 0 9 9')],
  'bimi-logo-element': [withDrawing('<script/>'), withDrawing('<g><use href="#a"/></g>')],
  'bimi-logo-attribute': [withDrawing('<circle r="9" onclick=""/>'), withDrawing('<circle r="9" class=""/>')],
  'bimi-logo-reference': [
    withDrawing('<g fill="url(https://example.net/)"/>'),
    withDrawing('<g fill="url(#a)"/>'),
  ],
  'bimi-logo-text': [withDrawing('<g>oops</g>'), withDrawing('<g><text>fine</text></g>')],
  'bimi-logo-title-missing': [logo({ title: '' }), logo({ title: '<title/>' })],
  'bimi-logo-title-empty': [logo({ title: '<title> </title>' }), logo({ title: '<title>E</title>' })],
  'bimi-logo-title-repeated': [
    logo({ title: '<title>Example</title><title>Again</title>' }),
    logo({ title: '<title>Example</title>' }),
  ],
  'bimi-logo-title-not-first': [
    logo({ title: '<g/><title>Example</title>' }),
    logo({ title: '<!-- logo --><title>Example</title>' }),
  ],
  'bimi-logo-title-long': [titled('x'.repeat(65)), titled('x'.repeat(64))],
  'bimi-logo-title-generic': [titled('Untitled'), titled('Untitled, Inc.')],
  'bimi-logo-description-missing': [logo({ description: '' }), logo({ description: '<desc/>' })],
  'bimi-logo-description-empty': [logo({ description: '<desc/>' }), logo({ description: '' })],
  'bimi-logo-view-box': [inBox('0 0 9'), inBox('0,0,9,9')],
  'bimi-logo-not-square': [inBox('0 0 9 8'), inBox('-1 1 9 9')],
  'bimi-logo-relative-size': [inBox('0 0 9 9', ' width="100%"'), inBox('0 0 9 9', ' width="100"')],
});

function titled(title: string): BimiInput {
  return logo({ title: `<title>${title}</title>` });
}
