/**
 * Reads small untrusted XML documents with saxes, which accepts well-formed ones only and expands no entities. More is rejected
 * than XML rejects: document type declarations, processing instructions and encodings other than UTF-8, so there is nothing to
 * fetch. Time and memory are linear in the input; depth and counts are limited.
 */
import { SaxesParser } from 'saxes';
import { excerpt } from '../findings/excerpt.ts';

interface XmlAttribute {
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

type ParsedXml =
  | { readonly ok: true; readonly root: XmlElement }
  | { readonly ok: false; readonly line: number; readonly detail: string };

export const MAX_DEPTH = 64;
export const MAX_ELEMENTS = 5_000;
export const MAX_ATTRIBUTES = 100;

/** The maximum length of what the parser says, which quotes names. */
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

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

function readDocument(text: string): XmlElement {
  const parser = new SaxesParser();
  const top: OpenElement = { name: '', attributes: [], children: [], text: '', line: 0 };
  const open = [top];
  let elements = 0;
  let line = 1;
  const refuse = (detail: string): never => {
    throw new Refusal(parser.line, detail);
  };
  const append = (more: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  // The message begins with the line and the column.
  parser.on('error', ({ message }) => refuse(excerpt(message.replace(/^\d+:\d+: |\.$/g, ''), MAX_DETAIL)));
  parser.on('doctype', () => refuse('a document type declaration'));
  parser.on('processinginstruction', () => refuse('a processing instruction'));
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!['utf-8', 'us-ascii'].includes(encoding.toLowerCase())) refuse('the declared encoding is not UTF-8');
  });
  parser.on('opentagstart', () => {
    // The parser has read the character after the name.
    line = parser.line - (text[parser.position - 1] === '\n' ? 1 : 0);
  });
  parser.on('opentag', ({ name, attributes }) => {
    const entries = Object.entries(attributes);
    if (++elements > MAX_ELEMENTS) refuse(`more than ${MAX_ELEMENTS} elements`);
    if (open.length > MAX_DEPTH) refuse(`more than ${MAX_DEPTH} nesting levels`);
    if (entries.length > MAX_ATTRIBUTES) refuse(`more than ${MAX_ATTRIBUTES} attributes`);
    const element = {
      ...{ name, children: [], text: '', line },
      attributes: entries.map(([attribute, value]) => ({ name: attribute, value })),
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  return top.children[0] ?? refuse('there is no root element');
}
