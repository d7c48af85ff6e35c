/**
 * A parser of XML 1.0 (Fifth Edition) for small untrusted documents. It is stricter than XML: it rejects document type
 * declarations, custom entities, processing instructions and encodings other than UTF-8, so there is nothing to expand
 * and nothing to fetch. Time and memory are linear in the input; depth and counts are limited.
 */

export interface XmlAttribute {
  readonly name: string;
  readonly value: string;
}

export interface XmlElement {
  /** As written, with its prefix. The caller handles namespaces. */
  readonly name: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** The character data directly inside the element, joined. */
  readonly text: string;
  /** The line of the start tag, counted from 1. */
  readonly line: number;
}

export type XmlProblem =
  | 'malformed'
  | 'not-utf-8'
  | 'doctype'
  | 'entity'
  | 'processing-instruction'
  | 'too-deep'
  | 'too-many';

export type ParsedXml =
  | { readonly ok: true; readonly root: XmlElement }
  | { readonly ok: false; readonly problem: XmlProblem; readonly line: number; readonly detail: string };

export const MAX_DEPTH = 64;
export const MAX_ELEMENTS = 5_000;
export const MAX_ATTRIBUTES = 100;

/** Ends parsing at the first error. Never leaves this file. */
class Refusal extends Error {
  readonly problem: XmlProblem;
  readonly at: number;
  constructor(problem: XmlProblem, at: number, detail: string) {
    super(detail);
    this.problem = problem;
    this.at = at;
  }
}

/** Parses a whole document. Never throws. */
export function parseXml(bytes: Uint8Array): ParsedXml {
  let text = '';
  try {
    text = decode(bytes);
    return { ok: true, root: readDocument(text) };
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    const line = text.slice(0, fault.at).split('\n').length;
    return { ok: false, problem: fault.problem, line, detail: fault.message };
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('not-utf-8', 0, 'the text is not UTF-8');
  }
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

function readDocument(text: string): XmlElement {
  const odd = text.search(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  if (odd !== -1) throw new Refusal('malformed', odd, 'a character that XML does not allow');
  const open: OpenElement[] = [];
  const lines = lineCounter(text);
  let root: OpenElement | undefined;
  let elements = 0;
  let at = readDeclaration(text);
  while (at < text.length) {
    const tag = text.indexOf('<', at);
    readText(text.slice(at, tag === -1 ? text.length : tag), at, open.at(-1));
    if (tag === -1) break;
    if (text.startsWith('<!--', tag)) at = skipComment(text, tag);
    else if (text.startsWith('<![CDATA[', tag)) at = readCharacterData(text, tag, open.at(-1));
    else if (text.startsWith('<!', tag)) throw new Refusal('doctype', tag, 'a document type declaration');
    else if (text.startsWith('<?', tag)) {
      throw new Refusal('processing-instruction', tag, 'a processing instruction');
    } else if (text.startsWith('</', tag)) at = closeElement(text, tag, open);
    else {
      if (root !== undefined && open.length === 0) {
        throw new Refusal('malformed', tag, 'a second root element');
      }
      if (++elements > MAX_ELEMENTS) throw new Refusal('too-many', tag, `more than ${MAX_ELEMENTS} elements`);
      if (open.length === MAX_DEPTH)
        throw new Refusal('too-deep', tag, `more than ${MAX_DEPTH} nesting levels`);
      const { name, attributes, end, isEmpty } = readStartTag(text, tag);
      const element: OpenElement = { name, attributes, children: [], text: '', line: lines(tag) };
      open.at(-1)?.children.push(element);
      root ??= element;
      if (!isEmpty) open.push(element);
      at = end;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw new Refusal('malformed', text.length, `<${unclosed.name}> is not closed`);
  if (root === undefined) throw new Refusal('malformed', text.length, 'there is no root element');
  return root;
}

/** Maximum length of an XML declaration. */
const MAX_DECLARATION = 200;

/** Parses the XML declaration (production 23) if there is one, and returns the offset of the rest of the document. */
function readDeclaration(text: string): number {
  if (!/^<\?xml[\s?]/.test(text)) return 0;
  const end = text.slice(0, MAX_DECLARATION).indexOf('?>');
  const parts =
    /^<\?xml\s+version\s*=\s*(?:"1\.\d"|'1\.\d')(?:\s+encoding\s*=\s*(?:"([\w.-]+)"|'([\w.-]+)'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*$/.exec(
      text.slice(0, Math.max(end, 0)),
    );
  if (parts === null) throw new Refusal('malformed', 0, 'an invalid XML declaration');
  const encoding = (parts[1] ?? parts[2] ?? 'utf-8').toLowerCase();
  if (encoding !== 'utf-8' && encoding !== 'us-ascii') {
    throw new Refusal('not-utf-8', 0, 'the declared encoding is not UTF-8');
  }
  return end + 2;
}

function readText(raw: string, at: number, parent: OpenElement | undefined): void {
  if (parent === undefined) {
    if (/[^ \t\r\n]/.test(raw)) throw new Refusal('malformed', at, 'text outside the root element');
    return;
  }
  if (raw.includes(']]>')) throw new Refusal('malformed', at, '"]]>" in text');
  parent.text += expandReferences(raw, at);
}

/** Production 15: two hyphens in a comment are allowed only at its end. */
function skipComment(text: string, tag: number): number {
  const hyphens = text.indexOf('--', tag + 4);
  if (hyphens === -1 || text[hyphens + 2] !== '>') throw new Refusal('malformed', tag, 'an invalid comment');
  return hyphens + 3;
}

function readCharacterData(text: string, tag: number, parent: OpenElement | undefined): number {
  const end = text.indexOf(']]>', tag);
  if (parent === undefined || end === -1) throw new Refusal('malformed', tag, 'an invalid CDATA section');
  parent.text += text.slice(tag + 9, end);
  return end + 3;
}

function closeElement(text: string, tag: number, open: OpenElement[]): number {
  const element = open.pop();
  const end = text.indexOf('>', tag);
  const name = text.slice(tag + 2, end === -1 ? text.length : end);
  if (element === undefined || end === -1 || !isNamed(name, element.name)) {
    throw new Refusal('malformed', tag, 'an end tag without a matching start tag');
  }
  return end + 1;
}

function isNamed(written: string, name: string): boolean {
  return written.startsWith(name) && /^[ \t\r\n]*$/.test(written.slice(name.length));
}

/** Allows every non-ASCII character in names, which is more than XML allows; allowlists of names come later. */
const NAME = /[A-Za-z_:\u0080-\uffff][-.\w:\u0080-\uffff]*/y;
const SPACE = /[ \t\r\n]*/y;

function readStartTag(text: string, tag: number) {
  let at = tag + 1;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const name = take(NAME);
  if (name === '') throw new Refusal('malformed', tag, 'a tag without a name');
  const attributes: XmlAttribute[] = [];
  const names = new Set<string>();
  for (;;) {
    const space = take(SPACE);
    if (text[at] === '>') return { name, attributes, end: at + 1, isEmpty: false };
    if (text.startsWith('/>', at)) return { name, attributes, end: at + 2, isEmpty: true };
    const start = at;
    const attribute = take(NAME);
    take(SPACE);
    const isAssigned = text[at++] === '=';
    take(SPACE);
    const quote = text[at];
    const end = quote === '"' || quote === "'" ? text.indexOf(quote, at + 1) : -1;
    const raw = text.slice(at + 1, Math.max(end, at + 1));
    if (space === '' || attribute === '' || !isAssigned || end === -1 || raw.includes('<')) {
      throw new Refusal('malformed', start, 'an invalid attribute');
    }
    if (names.has(attribute)) throw new Refusal('malformed', start, 'a duplicate attribute');
    if (attributes.length === MAX_ATTRIBUTES) {
      throw new Refusal('too-many', start, `more than ${MAX_ATTRIBUTES} attributes`);
    }
    names.add(attribute);
    attributes.push({ name: attribute, value: expandReferences(raw, at).replace(/[\t\r\n]/g, ' ') });
    at = end + 1;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Length of the longest reference, `#x10ffff`. */
const MAX_REFERENCE = 8;

/** Expands character references and the five predefined entities (section 4.6). */
function expandReferences(raw: string, offset: number): string {
  const [first = '', ...parts] = raw.split('&');
  return parts.reduce((expanded, part) => {
    const end = part.slice(0, MAX_REFERENCE + 1).indexOf(';');
    const character = end === -1 ? undefined : characterOf(part.slice(0, end));
    if (character === undefined) throw new Refusal('entity', offset, 'an unknown entity');
    return expanded + character + part.slice(end + 1);
  }, first);
}

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith('#')) return Object.hasOwn(entities, reference) ? entities[reference] : undefined;
  const digits = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(reference);
  if (digits === null) return undefined;
  const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16);
  const isCharacter =
    [0x9, 0xa, 0xd].includes(code) ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/** Returns a function that converts offsets to line numbers. The offsets must not decrease. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let seen = 0;
  return (offset) => {
    for (; seen < offset; seen++) if (text[seen] === '\n') line++;
    return line;
  };
}
