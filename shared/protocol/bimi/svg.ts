/** Whether a logo conforms to SVG Tiny Portable/Secure (draft-svg-tiny-ps-abrotman), checked by allowlists only. */
import { bimiLogoRules } from '../findings/bimi-logo.ts';
import { excerpt } from '../findings/excerpt.ts';
import { type Finding, raiser } from '../findings/finding.ts';
import {
  elements,
  namingAttributes,
  requiredOfRoot,
  SVG_NAMESPACE,
  valuesOf,
  XLINK_NAMESPACE,
} from './svg-profile.ts';
import { parseXml, type XmlElement } from './xml.ts';

/** draft-svg-tiny-ps-abrotman section 2.4. */
export const MAX_LOGO_OCTETS = 32_768;

/** draft-svg-tiny-ps-abrotman section 2.1. */
const MAX_TITLE = 64;

/** Maximum number of different forbidden elements and attributes to report. A hostile file could contain thousands. */
const MAX_PROBLEMS = 20;

const NAME_RULE = 'a letter or "_", followed by letters, digits, ".", "-" or "_"';

/** Placeholder titles of drawing programs and templates. */
const genericTitles = ['untitled', 'title', 'document', 'drawing', 'image', 'logo', 'svg'];

const raise = raiser(bimiLogoRules);

interface LogoVerdict {
  /** The text of the title; null if there is none. */
  readonly title: string | null;
  /** Without errors if the logo conforms to the profile. */
  readonly findings: readonly Finding[];
}

/** Checks an uncompressed SVG document. Never throws; takes linear time. */
export function inspectLogo(bytes: Uint8Array): LogoVerdict {
  const size =
    bytes.length > MAX_LOGO_OCTETS
      ? [raise('bimi-logo-too-large', { octets: bytes.length, limit: MAX_LOGO_OCTETS })]
      : [];
  const parsed = parseXml(bytes);
  if (!parsed.ok) {
    const { line, detail } = parsed;
    return { title: null, findings: [...size, raise('bimi-logo-unreadable', { line, detail })] };
  }
  const { root } = parsed;
  if (root.name !== 'svg') {
    const element = excerpt(root.name, 40);
    return { title: null, findings: [...size, raise('bimi-logo-root', { element })] };
  }
  return {
    title: root.children.find(({ name }) => name === 'title')?.text.trim() ?? null,
    findings: [...size, ...rootFindings(root), ...titleFindings(root), ...contentFindings(root)],
  };
}

function rootFindings(root: XmlElement): Finding[] {
  const values = new Map(root.attributes.map(({ name, value }) => [name, value]));
  const findings: Finding[] = [];
  if (!values.has('xmlns')) findings.push(raise('bimi-logo-namespace', { found: 'none' }));
  for (const attribute of requiredOfRoot) {
    const value = valuesOf.get(attribute)?.[0] ?? '';
    if (!values.has(attribute)) findings.push(raise('bimi-logo-attribute-missing', { attribute, value }));
  }
  const viewBox = values.get('viewBox');
  const shape = viewBox === undefined ? 'none' : shapeOf(viewBox);
  if (shape === 'malformed') findings.push(raise('bimi-logo-view-box', { value: excerpt(viewBox ?? '') }));
  else if (shape !== 'square')
    findings.push(raise('bimi-logo-not-square', { value: excerpt(viewBox ?? 'none') }));
  for (const attribute of ['width', 'height']) {
    const value = values.get(attribute);
    if (value?.includes('%')) {
      findings.push(raise('bimi-logo-relative-size', { attribute, value: excerpt(value) }));
    }
  }
  return findings;
}

function shapeOf(viewBox: string): 'square' | 'oblong' | 'malformed' {
  const numbers = viewBox
    .slice(0, 200)
    .trim()
    .split(/[\s,]+/)
    .map((part) => (part === '' ? Number.NaN : Number(part)));
  const [, , width = 0, height = 0] = numbers;
  const isBox = numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0;
  if (!isBox) return 'malformed';
  return width === height ? 'square' : 'oblong';
}

function titleFindings(root: XmlElement): Finding[] {
  const titles = root.children.filter(({ name }) => name === 'title');
  const descriptions = root.children.filter(({ name }) => name === 'desc');
  const findings: Finding[] = [];
  const text = titles[0]?.text.trim();
  if (text === undefined) findings.push(raise('bimi-logo-title-missing'));
  else if (text === '') findings.push(raise('bimi-logo-title-empty'));
  else if (text.length > MAX_TITLE) findings.push(raise('bimi-logo-title-long', { limit: MAX_TITLE }));
  else if (genericTitles.includes(text.toLowerCase())) {
    findings.push(raise('bimi-logo-title-generic', { title: text }));
  }
  if (titles.length > 1) findings.push(raise('bimi-logo-title-repeated'));
  if (text !== undefined && root.children[0]?.name !== 'title')
    findings.push(raise('bimi-logo-title-not-first'));
  if (descriptions.length === 0) findings.push(raise('bimi-logo-description-missing'));
  if (descriptions.some((description) => description.text.trim() === '')) {
    findings.push(raise('bimi-logo-description-empty'));
  }
  return findings;
}

/** Everything that is not in the allowlists, each kind once. The content of a forbidden element is not checked. */
function contentFindings(root: XmlElement): Finding[] {
  const problems = new Map<string, { readonly tell: (count: number) => Finding; count: number }>();
  const note = (key: string, tell: (count: number) => Finding) => {
    const known = problems.get(key);
    if (known !== undefined) known.count++;
    else if (problems.size < MAX_PROBLEMS) problems.set(key, { tell, count: 1 });
  };
  const waiting: XmlElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    const { name, line } = element;
    const profile = elements.get(name);
    if (profile === undefined) continue;
    inspectAttributes(element, root, note);
    if (!profile.text && element.text.trim() !== '') {
      note(`text ${name}`, (count) => raise('bimi-logo-text', { element: name, line, count }));
    }
    for (const child of element.children.toReversed()) {
      if (profile.children.has(child.name)) waiting.push(child);
      else {
        const [inner, at] = [excerpt(child.name, 40), child.line];
        note(`element ${child.name}`, (count) =>
          raise('bimi-logo-element', { element: inner, parent: name, line: at, count }),
        );
      }
    }
  }
  return [...problems.values()].map(({ tell, count }) => tell(count));
}

type Note = (key: string, tell: (count: number) => Finding) => void;

function inspectAttributes(element: XmlElement, root: XmlElement, note: Note): void {
  const { line } = element;
  const allowed = elements.get(element.name)?.attributes;
  for (const { name, value } of element.attributes) {
    const [attribute, shown] = [excerpt(name, 40), excerpt(value)];
    if (name === 'xmlns') {
      if (value !== SVG_NAMESPACE) note('xmlns', () => raise('bimi-logo-namespace', { found: shown }));
    } else if (name.startsWith('xmlns:')) {
      // A namespace declaration has no effect by itself. Names that use it must be in the allowlists.
    } else if (allowed?.has(name) !== true || (name === 'xlink:href' && !isXlinkDeclared(element, root))) {
      note(`attribute ${name}`, (count) =>
        raise('bimi-logo-attribute', { attribute, element: element.name, line, count }),
      );
    } else if (!isAllowedValue(name, value)) {
      const allowed = valuesOf.get(name)?.join(' or ') ?? NAME_RULE;
      note(`value ${name}`, () => raise('bimi-logo-attribute-value', { attribute, value: shown, allowed }));
    } else if (leadsOutside(name, value)) {
      note(`reference ${name}`, (count) =>
        raise('bimi-logo-reference', { attribute, value: shown, line, count }),
      );
    }
  }
}

/** Whether the value is in the list of the attribute or, for an attribute that names an element, a valid name. */
function isAllowedValue(name: string, value: string): boolean {
  const words = valuesOf.get(name);
  if (words !== undefined) return words.includes(value.trim().replace(/\s+/g, ' '));
  return !namingAttributes.includes(name) || /^[\p{L}_][\p{L}\p{N}\p{M}._·-]*$/u.test(value.trim());
}

function isXlinkDeclared(element: XmlElement, root: XmlElement): boolean {
  return [element, root].some(({ attributes }) =>
    attributes.some(({ name, value }) => name === 'xmlns:xlink' && value === XLINK_NAMESPACE),
  );
}

/** Whether a value refers to anything outside the document. In CSS, a backslash could hide such a reference. */
function leadsOutside(name: string, value: string): boolean {
  if (name === 'href' || name === 'xlink:href') return !value.trim().startsWith('#');
  if (value.includes('\\')) return true;
  const [, ...references] = value.toLowerCase().split('url');
  return references.some((reference) => /^\s*\(/.test(reference) && !/^\s*\(\s*["']?#/.test(reference));
}
