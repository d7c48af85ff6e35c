/**
 * Reads small untrusted XML documents with fast-xml-parser. More is rejected than XML rejects: document type declarations,
 * custom entities, processing instructions and encodings other than UTF-8, so there is nothing to expand and nothing to
 * fetch. fast-xml-parser's validator checks tags and attributes; the rest of what makes a document well formed is checked
 * here. Time and memory are linear in the input; depth and counts are limited.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { excerpt } from '../findings/excerpt.ts';
import { escapeMarkup, expandReferences } from '../xml-references.ts';

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

export type ParsedXml =
  | { readonly ok: true; readonly root: XmlElement }
  | { readonly ok: false; readonly line: number; readonly detail: string };

export const MAX_DEPTH = 64;
export const MAX_ELEMENTS = 5_000;
export const MAX_ATTRIBUTES = 100;

/** The maximum length of what the validator says, which quotes names. */
const MAX_DETAIL = 200;

/** Ends reading at the first error. Never leaves this file. */
class Refusal extends Error {
  readonly line: number;
  constructor(line: number, detail: string) {
    super(detail);
    this.line = line;
  }
}

/** Reads a whole document. Never throws. */
export function parseXml(bytes: Uint8Array): ParsedXml {
  try {
    return { ok: true, root: readDocument(decode(bytes)) };
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    return { ok: false, line: fault.line, detail: fault.message };
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(1, 'the text is not UTF-8');
  }
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  captureMetaData: true,
  maxNestedTags: Number.POSITIVE_INFINITY,
});
const POSITION = XMLParser.getMetaDataSymbol() as symbol;

/** An element, whose content has its name; or a text. */
interface Node {
  readonly '#text'?: string;
  readonly ':@'?: Readonly<Record<string, string>>;
  readonly [name: string]: string | Readonly<Record<string, string>> | readonly Node[] | undefined;
  readonly [position: symbol]: { readonly startIndex: number; readonly endIndex: number } | undefined;
}

function readDocument(document: string): XmlElement {
  const text = plainText(document);
  const verdict = XMLValidator.validate(text);
  if (verdict !== true)
    throw new Refusal(verdict.err.line, excerpt(verdict.err.msg.replace(/\.$/, ''), MAX_DETAIL));
  const root = parse(text).find((node) => node['#text'] === undefined);
  if (root === undefined) throw new Refusal(1, 'there is no root element');
  const end = root[POSITION]?.endIndex ?? 0;
  const rest = text.slice(end).search(/\S/);
  if (rest !== -1) throw new Refusal(lineAt(text, end + rest), 'there is something after the root element');
  return elementReader(text)(root);
}

/** Names that are special in JavaScript make fast-xml-parser throw. */
function parse(text: string): readonly Node[] {
  try {
    return parser.parse(text);
  } catch {
    throw new Refusal(1, 'a name is not allowed');
  }
}

/** Returns a function that converts the parsed elements of a document, in document order. */
function elementReader(document: string): (node: Node) => XmlElement {
  const lines = lineCounter(document);
  let elements = 0;
  const read = (node: Node, level = 1): XmlElement => {
    const line = lines(node[POSITION]?.startIndex ?? 0);
    if (++elements > MAX_ELEMENTS) throw new Refusal(line, `more than ${MAX_ELEMENTS} elements`);
    if (level > MAX_DEPTH) throw new Refusal(line, `more than ${MAX_DEPTH} nesting levels`);
    const name = Object.keys(node).find((key) => Array.isArray(node[key])) ?? '';
    const content = node[name];
    const nodes: readonly Node[] = Array.isArray(content) ? content : [];
    const text = nodes.map((child) => child['#text'] ?? '').join('');
    if (text.includes(']]>')) throw new Refusal(line, '"]]>" in text');
    return {
      name,
      attributes: attributesOf(node, line),
      children: nodes.filter((child) => child['#text'] === undefined).map((child) => read(child, level + 1)),
      text: expanded(text, line),
      line,
    };
  };
  return read;
}

function attributesOf({ ':@': attributes = {} }: Node, line: number): readonly XmlAttribute[] {
  const entries = Object.entries(attributes);
  if (entries.length > MAX_ATTRIBUTES) throw new Refusal(line, `more than ${MAX_ATTRIBUTES} attributes`);
  return entries.map(([name, value]) => {
    if (value.includes('<')) throw new Refusal(line, 'an invalid attribute');
    return { name, value: expanded(value, line).replace(/[\t\r\n]/g, ' ') };
  });
}

/** The start of a comment or a CDATA section, or of a part that is not allowed. */
const PART = /<!--|<!\[CDATA\[|<!|<\?/g;

/** Removes the declaration and the comments except for their line breaks, and escapes CDATA sections. */
function plainText(document: string): string {
  const odd = document.search(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  if (odd !== -1) throw new Refusal(lineAt(document, odd), 'a character that XML does not allow');
  const start = readDeclaration(document);
  const pieces = ['\n'.repeat(lineAt(document, start) - 1)];
  let at = start;
  for (const { 0: found, index } of document.slice(start).matchAll(PART)) {
    const from = start + index + found.length;
    // Inside a part that was already read.
    if (from <= at) continue;
    pieces.push(document.slice(at, start + index));
    const end = endOf(found, document, from);
    if (end === -1)
      throw new Refusal(lineAt(document, start + index), forbidden.get(found) ?? 'a processing instruction');
    const content = document.slice(from, end);
    pieces.push(found === COMMENT ? content.replace(/[^\n]/g, '') : escapeMarkup(content));
    at = end + '-->'.length;
  }
  return pieces.join('') + document.slice(at);
}

const COMMENT = '<!--';
const CHARACTERS = '<![CDATA[';

/** Where the content of a part that starts at `from` ends; -1 if it has no end or is not allowed. */
function endOf(found: string, document: string, from: number): number {
  if (found === CHARACTERS) return document.indexOf(']]>', from);
  // Two hyphens are allowed only at the end of a comment (production 15).
  const end = found === COMMENT ? document.indexOf('--', from) : -1;
  return document.startsWith('-->', end) ? end : -1;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

const forbidden: ReadonlyMap<string, string> = new Map([
  ['<!--', 'an invalid comment'],
  ['<![CDATA[', 'an invalid CDATA section'],
  ['<!', 'a document type declaration'],
]);

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
  if (parts === null) throw new Refusal(1, 'an invalid XML declaration');
  const encoding = (parts[1] ?? parts[2] ?? 'utf-8').toLowerCase();
  if (encoding !== 'utf-8' && encoding !== 'us-ascii') {
    throw new Refusal(1, 'the declared encoding is not UTF-8');
  }
  return end + 2;
}

function expanded(text: string, line: number): string {
  return expandReferences(text, () => {
    throw new Refusal(line, 'an unknown entity');
  });
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
