/** The rules of the BIMI check about the logo: SVG Tiny Portable/Secure. */
import { type Rules, rule } from './finding.ts';

const BIMI = 'draft-brand-indicators-for-message-identification-10';
const REQUIRED = 'draft-svg-tiny-ps-abrotman section 2.1';
const FORBIDDEN = 'draft-svg-tiny-ps-abrotman section 2.3';

/** Not a standard, but a requirement of the largest receivers. */
const GUIDANCE = 'Google Workspace Admin Help, Create a BIMI SVG file';

const exportFix = 'Export the logo as SVG Tiny PS, or edit the file by hand.';

const times = (count: number) => (count === 1 ? '' : `, ${count} times in total`);

export const bimiLogoRules = {
  'bimi-logo-media-type': rule<{ mediaType: string }>({
    severity: 'warning',
    says: ({ mediaType }) => `The logo is served as "${mediaType}" instead of image/svg+xml.`,
    cites: `${BIMI} section 4.3.2`,
    fix: 'Serve the logo with "Content-Type: image/svg+xml".',
  }),
  'bimi-logo-compressed': rule({
    severity: 'warning',
    says: () =>
      'The logo is compressed (SVGZ). The BIMI draft allows this, but many receivers cannot read it.',
    cites: `${BIMI} section 4.3.2`,
    fix: 'Serve the logo uncompressed.',
  }),
  'bimi-logo-too-large': rule<{ octets: number; limit: number }>({
    severity: 'warning',
    says: ({ octets, limit }) =>
      `The logo is ${octets} bytes long, more than the ${limit} bytes that receivers are expected to accept.`,
    cites: 'draft-svg-tiny-ps-abrotman section 2.4',
    fix: 'Simplify the drawing.',
  }),
  'bimi-logo-unreadable': rule<{ line: number; detail: string }>({
    severity: 'error',
    says: ({ line, detail }) => `The logo is not plain, well-formed XML: ${detail} (line ${line}).`,
    cites: `${BIMI} section 7.6`,
    fix: exportFix,
  }),
  'bimi-logo-root': rule<{ element: string }>({
    severity: 'error',
    says: ({ element }) => `The logo is not an SVG file: its root element is "${element}".`,
    cites: `${BIMI} section 7.6`,
    fix: exportFix,
  }),
  'bimi-logo-namespace': rule<{ found: string }>({
    severity: 'error',
    says: ({ found }) => `The XML namespace of the logo is not http://www.w3.org/2000/svg (found: ${found}).`,
    cites: REQUIRED,
    fix: 'Set xmlns="http://www.w3.org/2000/svg" on the root element.',
  }),
  'bimi-logo-attribute-missing': rule<{ attribute: string; value: string }>({
    severity: 'error',
    says: ({ attribute, value }) =>
      `The root element of the logo does not have the attribute ${attribute}="${value}".`,
    cites: REQUIRED,
    fix: 'Set version="1.2" and baseProfile="tiny-ps" on the root element.',
    subject: 'attribute',
  }),
  'bimi-logo-attribute-value': rule<{ attribute: string; value: string; allowed: string }>({
    severity: 'error',
    says: ({ attribute, value, allowed }) =>
      `${attribute}="${value}" is not allowed in the logo. The value must be ${allowed}.`,
    cites: FORBIDDEN,
    fix: 'Correct the attribute, or remove it if the profile does not require it.',
    subject: 'attribute',
  }),
  'bimi-logo-element': rule<{ element: string; parent: string; line: number; count: number }>({
    severity: 'error',
    says: ({ element, parent, line, count }) =>
      `The ${element} element is not allowed inside ${parent} (line ${line}${times(count)}).`,
    cites: FORBIDDEN,
    fix: exportFix,
    subject: 'element',
  }),
  'bimi-logo-attribute': rule<{ attribute: string; element: string; line: number; count: number }>({
    severity: 'error',
    says: ({ attribute, element, line, count }) =>
      `The ${attribute} attribute is not allowed on ${element} (line ${line}${times(count)}).`,
    cites: FORBIDDEN,
    fix: exportFix,
    subject: 'attribute',
  }),
  'bimi-logo-reference': rule<{ attribute: string; value: string; line: number; count: number }>({
    severity: 'error',
    says: ({ attribute, value, line, count }) =>
      `${attribute}="${value}" refers to something outside the logo file (line ${line}${times(count)}).`,
    cites: FORBIDDEN,
    fix: 'Refer only to elements in the file itself, as #id or url(#id).',
    subject: 'attribute',
  }),
  'bimi-logo-text': rule<{ element: string; line: number; count: number }>({
    severity: 'error',
    says: ({ element, line, count }) =>
      `Text is not allowed directly inside ${element} (line ${line}${times(count)}).`,
    cites: FORBIDDEN,
    fix: exportFix,
    subject: 'element',
  }),
  'bimi-logo-title-missing': rule({
    severity: 'error',
    says: () => 'The logo has no title element.',
    cites: REQUIRED,
    fix: 'Add a title element with the name of the organization as the first child of the root element.',
  }),
  'bimi-logo-title-empty': rule({
    severity: 'error',
    says: () => 'The title element of the logo is empty.',
    cites: REQUIRED,
    fix: 'Set the title to the name of the organization.',
  }),
  'bimi-logo-title-repeated': rule({
    severity: 'error',
    says: () => 'The logo has more than one title element.',
    cites: REQUIRED,
    fix: 'Keep one title element, as the first child of the root element.',
  }),
  'bimi-logo-title-not-first': rule({
    severity: 'error',
    says: () =>
      'The title element is not the first child of the root element, as the SVG Tiny PS schema requires.',
    cites: REQUIRED,
    fix: 'Move the title element to the first position.',
  }),
  'bimi-logo-title-long': rule<{ limit: number }>({
    severity: 'warning',
    says: ({ limit }) => `The title of the logo is longer than ${limit} characters.`,
    cites: REQUIRED,
    fix: 'Shorten the title to the name of the organization.',
  }),
  'bimi-logo-title-generic': rule<{ title: string }>({
    severity: 'warning',
    says: ({ title }) => `The title "${title}" is a placeholder that drawing programs insert.`,
    cites: REQUIRED,
    fix: 'Set the title to the name of the organization.',
  }),
  'bimi-logo-description-missing': rule({
    severity: 'notice',
    says: () => 'The logo has no desc element, which describes it for people who cannot see it.',
    cites: 'SVG Tiny 1.2 section 5.5',
    fix: 'Add a desc element with a description of the logo after the title element.',
  }),
  'bimi-logo-description-empty': rule({
    severity: 'error',
    says: () => 'The desc element of the logo is empty.',
    cites: REQUIRED,
    fix: 'Describe the logo in the desc element, or remove the element.',
  }),
  'bimi-logo-view-box': rule<{ value: string }>({
    severity: 'error',
    says: ({ value }) =>
      `The viewBox "${value}" does not consist of four numbers with a positive width and height.`,
    cites: 'SVG Tiny 1.2 section 7.8',
    fix: 'Set viewBox to a square such as "0 0 512 512".',
  }),
  'bimi-logo-not-square': rule<{ value: string }>({
    severity: 'warning',
    says: ({ value }) =>
      `The logo has no square viewBox (${value}). Receivers crop logos that are not square.`,
    cites: GUIDANCE,
    fix: 'Set viewBox to a square such as "0 0 512 512", and center the drawing in it.',
  }),
  'bimi-logo-relative-size': rule<{ attribute: string; value: string }>({
    severity: 'warning',
    says: ({ attribute, value }) =>
      `${attribute}="${value}" is a relative size, which large receivers reject.`,
    cites: GUIDANCE,
    fix: 'Set width and height in pixels, or remove them.',
    subject: 'attribute',
  }),
} satisfies Rules;
