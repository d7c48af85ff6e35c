/**
 * A streaming XML 1.0 tokenizer that tolerates errors of reporters: a "<" that starts no tag is text, and attributes need
 * no quotes. Time is linear in the input, and memory is bounded by MAX_XML_TOKEN.
 */
import { MAX_XML_ATTRIBUTES, MAX_XML_TOKEN } from '../limits.ts';
import { tooLarge } from '../refusal.ts';

/** Tokens as positions in the buffer, valid only during the call: a tag is `buffer.slice(start, end)`. */
export interface XmlHandler {
  /** `isEmpty`: written as `<name/>`; no end tag follows. */
  startTag(buffer: string, start: number, nameEnd: number, end: number, isEmpty: boolean): void;
  endTag(buffer: string, start: number, nameEnd: number, end: number): void;
  /** Character data with unexpanded references; `isBlank`: only white space. */
  text(buffer: string, start: number, end: number, isBlank: boolean): void;
  /** Character data without references: a CDATA section. */
  characters(text: string): void;
  /** A "<" that starts no tag. */
  rawMarkup(): void;
  /** `<!DOCTYPE ...>` or another declaration, of which only the first characters are passed. */
  declaration(start: string): void;
}

const LESS_THAN = 60;
const GREATER_THAN = 62;
const SLASH = 47;
const BANG = 33;
const QUESTION_MARK = 63;
const SPACE = 32;
const INCOMPLETE = -1;

const COMMENT = '<!--';
const CDATA = '<![CDATA[';
/** How many characters of a declaration are passed. */
const DECLARATION_START = 40;

/** Tags and values are short, so scanning them by character is faster than searching the buffer. */
export class XmlTokenizer {
  readonly #handler: XmlHandler;
  #rest = '';

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  write(chunk: string): void {
    const buffer = this.#rest === '' ? chunk : this.#rest + chunk;
    const at = this.#read(buffer);
    if (buffer.length - at > MAX_XML_TOKEN)
      throw tooLarge('a value, a tag, or a comment is longer than 64 KB');
    this.#rest = at === buffer.length ? '' : buffer.slice(at);
  }

  /** Returns the incomplete markup at the end of the document, if any; text has already been passed. */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    if (rest.startsWith('<')) return rest;
    if (rest !== '') this.#handler.text(rest, 0, rest.length, rest.trim() === '');
    return '';
  }

  /** Passes all complete tokens and returns where the rest starts. */
  #read(buffer: string): number {
    let at = 0;
    for (;;) {
      let tag = at;
      let isBlank = true;
      for (; tag < buffer.length; tag++) {
        const code = buffer.charCodeAt(tag);
        if (code === LESS_THAN) break;
        if (code > SPACE) isBlank = false;
      }
      if (tag === buffer.length) return at;
      if (tag > at) this.#handler.text(buffer, at, tag, isBlank);
      const end = this.#markup(buffer, tag);
      if (end === INCOMPLETE) return tag;
      at = end;
      if (end > tag) continue;
      this.#handler.rawMarkup();
      at++;
    }
  }

  /** Returns the end of the markup; `tag` itself if it is not markup. */
  #markup(buffer: string, tag: number): number {
    const kind = buffer.charCodeAt(tag + 1);
    if (kind === BANG) return this.#declaration(buffer, tag);
    if (kind === QUESTION_MARK) return endOfInstruction(buffer, tag);
    const isEndTag = kind === SLASH;
    const nameStart = isEndTag ? tag + 2 : tag + 1;
    const nameEnd = endOfName(buffer, nameStart);
    if (nameEnd === buffer.length) return INCOMPLETE;
    if (nameEnd === nameStart) return tag;
    if (buffer.charCodeAt(nameEnd) === GREATER_THAN) {
      if (isEndTag) this.#handler.endTag(buffer, tag, nameEnd, nameEnd + 1);
      else this.#handler.startTag(buffer, tag, nameEnd, nameEnd + 1, false);
      return nameEnd + 1;
    }
    return this.#longTag(buffer, tag, nameEnd, isEndTag);
  }

  #longTag(buffer: string, tag: number, nameEnd: number, isEndTag: boolean): number {
    const last = isEndTag ? endOfSpace(buffer, nameEnd) : endOfAttributes(buffer, nameEnd);
    if (last === INCOMPLETE) return INCOMPLETE;
    const isEmpty = !isEndTag && buffer.charCodeAt(last) === SLASH;
    const stop = isEmpty ? last + 1 : last;
    if (stop >= buffer.length) return INCOMPLETE;
    if (buffer.charCodeAt(stop) !== GREATER_THAN) return tag;
    if (isEndTag) this.#handler.endTag(buffer, tag, nameEnd, stop + 1);
    else this.#handler.startTag(buffer, tag, nameEnd, stop + 1, isEmpty);
    return stop + 1;
  }

  #declaration(buffer: string, tag: number): number {
    if (buffer.length < tag + CDATA.length) return INCOMPLETE;
    if (buffer.startsWith(COMMENT, tag)) {
      const end = buffer.indexOf('-->', tag + COMMENT.length);
      return end === -1 ? INCOMPLETE : end + 3;
    }
    if (buffer.startsWith(CDATA, tag)) {
      const end = buffer.indexOf(']]>', tag + CDATA.length);
      if (end === -1) return INCOMPLETE;
      this.#handler.characters(buffer.slice(tag + CDATA.length, end));
      return end + 3;
    }
    this.#handler.declaration(buffer.slice(tag, tag + DECLARATION_START));
    return tag + 2;
  }
}

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The longest reference, `#x10ffff`. */
const MAX_REFERENCE = 8;

/** Expands references (XML 1.0 section 4.6). An "&" that starts none is kept and reported to `onRaw`. */
export function expandReferences(text: string, onRaw: () => void): string {
  const [first = '', ...parts] = text.split('&');
  return parts.reduce((expanded, part) => {
    const end = part.slice(0, MAX_REFERENCE + 1).indexOf(';');
    const character = end === -1 ? undefined : characterOf(part.slice(0, end));
    if (character !== undefined) return expanded + character + part.slice(end + 1);
    onRaw();
    return `${expanded}&${part}`;
  }, first);
}

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith('#')) {
    return Object.hasOwn(namedEntities, reference) ? namedEntities[reference] : undefined;
  }
  const digits = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(reference);
  if (digits === null) return undefined;
  const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16);
  const isCharacter = (code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) || code === 9;
  return isCharacter || code === 10 || code === 13 ? String.fromCodePoint(code) : undefined;
}

/** A processing instruction ends at the first ">", unless another tag starts before it. */
function endOfInstruction(buffer: string, tag: number): number {
  for (let at = tag + 1; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    if (code === GREATER_THAN) return at + 1;
    if (code === LESS_THAN) return tag;
  }
  return INCOMPLETE;
}

/** Letters, "_", ":", and all non-ASCII characters can start a name; digits, "-", and "." can continue it. */
function endOfName(buffer: string, start: number): number {
  let at = start;
  for (; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    const isLetter = (code >= 97 && code <= 122) || code === 95 || (code >= 65 && code <= 90);
    if (isLetter || code === 58 || code >= 128) continue;
    if (at === start || !((code >= 48 && code <= 57) || code === 45 || code === 46)) break;
  }
  return at;
}

function endOfSpace(buffer: string, start: number): number {
  let at = start;
  while (at < buffer.length && buffer.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** `name="value"`, `name='value'`, and similar forms. */
const ATTRIBUTE = /[^\s=>/<"']+(?:\s*=\s*(?:"[^"<]*("?)|'[^'<]*('?)|[^\s"'<>]*))?/y;

/** Returns the expected position of the ">" or "/" after the attributes. */
function endOfAttributes(buffer: string, start: number): number {
  let at = start;
  for (let count = 0; count <= MAX_XML_ATTRIBUTES; count++) {
    at = endOfSpace(buffer, at);
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(buffer);
    if (found === null) return at;
    at += found[0].length;
    if (at === buffer.length) return INCOMPLETE;
    const isOpen = found[1] === '' || found[2] === '';
    if (isOpen) return start;
  }
  throw tooLarge(`an element has more than ${MAX_XML_ATTRIBUTES} attributes`);
}
