/**
 * Makes the XML of an aggregate report well formed, and cuts it into small texts, while it is read. fast-xml-parser needs
 * both: it takes whole texts, and it does not notice tags that are missing, misplaced or not escaped. Time is linear in
 * the input, and memory is bounded by MAX_XML_TOKEN and MAX_XML_ELEMENT.
 */
import { formatNumber } from '../../protocol/quantity.ts';
import { escapeMarkup } from '../../protocol/xml-references.ts';
import { MAX_RECORDS, MAX_XML_ATTRIBUTES, MAX_XML_DEPTH, MAX_XML_ELEMENT, MAX_XML_TOKEN } from '../limits.ts';
import { notAReport, tooLarge, unreadable } from '../refusal.ts';
import type { Warnings } from '../warnings.ts';
import { countedElements, type Element, feedback, misspellings, record, row, skipped } from './elements.ts';
import { RecordEnds } from './record-ends.ts';

const CDATA = '<![CDATA[';
const INCOMPLETE = -1;

/**
 * Attributes need no quotes. No tag contains "<", so that one that is not closed before the next "<" is text. White space
 * is what XML calls so (XML 1.0 section 2.3): `\s` would also match characters of names.
 */
const TAG =
  /<(\/?)([A-Za-z_:\u0080-\uffff][-.\w:\u0080-\uffff]*)(\/?>|[ \t\r\n](?:[^<>"']|"[^"<]*"|'[^'<]*')*>)/y;
const INSTRUCTION = /<\?[^<>]*>/y;

interface ReportHandler {
  /** Takes the start tag of the root element. */
  onRoot(tag: string): void;
  /** Takes the values that are directly in an element that ends, as well-formed XML without a root. */
  onValues(xml: string, parent: Element): void;
  /** Takes the end of a record, after the values in it. */
  onRecord(): void;
}

export class WellFormedReport {
  readonly #warnings: Warnings;
  readonly #handler: ReportHandler;
  readonly #open: Element[] = [];
  /** Unknown elements that contain others. One without end tag makes the report unreadable: its content would be lost. */
  readonly #withContent = new Set<Element>();
  #current: Element | undefined;
  /** What was read and not processed yet. */
  #rest = '';
  /** The values that are directly in each open element. */
  readonly #values: string[] = [];
  /** The length of the values in the record, or in the element outside of records. */
  #length = 0;
  #finished = 0;
  /** The length of the value and whether it contains a "<" that starts no known tag. */
  #valueLength = 0;
  #isRaw = false;
  #prefix = '';
  #isClosed = false;
  #hasStray = false;
  readonly #ends = new RecordEnds();

  /** What the handler throws, `write` throws. */
  constructor(warnings: Warnings, handler: ReportHandler) {
    this.#warnings = warnings;
    this.#handler = handler;
  }

  /** Throws a RefusalError at the first error that could change what is counted. */
  write(chunk: string): void {
    const text = this.#rest + chunk;
    let at = 0;
    for (;;) {
      const tag = text.indexOf('<', at);
      if (tag === -1) break;
      if (tag > at) this.#text(text.slice(at, tag));
      at = tag;
      const end = this.#markup(text, tag);
      if (end === INCOMPLETE) break;
      at = end;
    }
    if (text.length - at > MAX_XML_TOKEN) throw tooLarge('a value, a tag, or a comment is longer than 64 KB');
    this.#rest = text.slice(at);
  }

  /** Ends the text. Throws a RefusalError if the report is incomplete. */
  end(): void {
    const isCutTag = this.#rest.replace(/^<\/(?:[\w.-]+:)?/, '').trimEnd() === feedback.name;
    if (isCutTag && this.#current === feedback) {
      this.#warnings.add('cut-end-tag');
      this.#close();
    } else this.#text(this.#rest);
    if (this.#open.length > 0) {
      throw unreadable(`the report is truncated: it ends inside the element ${this.place}`);
    }
    if (!this.#isClosed) throw notAReport('the XML has no <feedback> element');
    if (this.#hasStray) this.#warnings.add('outside-root');
    if (this.#finished === 0) this.#warnings.add('no-records');
  }

  /** Processes the markup that starts at `at`, and returns its end. */
  #markup(text: string, at: number): number {
    const current = this.#current;
    if (current !== undefined) {
      // Nearly all tags have their plain form.
      if (text.startsWith(current.end, at)) {
        const end = at + current.end.length;
        if (current === record) this.#ends.finish(end, this.#progress());
        this.#close();
        return current === row ? this.#knownEnd(text, end) : end;
      }
      for (const child of current.children) {
        if (!text.startsWith(child.start, at)) continue;
        this.#begin(child);
        return at + child.start.length;
      }
    }
    if (text.startsWith('<!', at)) return this.#declaration(text, at);
    const tag = matchAt(TAG, text, at);
    if (tag !== null) {
      this.#tag(tag);
      return at + tag[0].length;
    }
    const instruction = matchAt(INSTRUCTION, text, at);
    if (instruction !== null) return at + instruction[0].length;
    if (text.indexOf('<', at + 1) === -1) return INCOMPLETE;
    this.#rawText('<');
    return at + 1;
  }

  /** Takes the end of a record after its row, if it is known, and returns its end. */
  #knownEnd(text: string, at: number): number {
    const known = this.#current === record ? this.#ends.start(text, at, this.#progress()) : undefined;
    if (known === undefined) return at;
    this.#count(known.length);
    for (const { xml, parent } of known.values) this.#handler.onValues(xml, parent);
    this.#close();
    return at + known.textLength;
  }

  #progress() {
    return { length: this.#length, warnings: this.#warnings.total };
  }

  #declaration(text: string, at: number): number {
    if (text.length < at + CDATA.length) return INCOMPLETE;
    if (text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at + 4);
      return end === -1 ? INCOMPLETE : end + 3;
    }
    if (text.startsWith(CDATA, at)) {
      const end = text.indexOf(']]>', at);
      if (end === -1) return INCOMPLETE;
      const content = text.slice(at + CDATA.length, end);
      if (isValue(this.#current)) this.#append(escapeMarkup(content));
      else this.#stray(content);
      return end + 3;
    }
    // A document type declaration names the root element (XML 1.0 section 2.8).
    const root = /^<!DOCTYPE\s+(?:[\w.-]+:)?([\w.-]{1,40})/i.exec(text.slice(at, at + 80))?.[1];
    const isInFront = this.#current === undefined && !this.#isClosed;
    if (isInFront && root !== feedback.name) throw notAReport('it is a web page or another XML document');
    throw unreadable(
      'the XML has a document type declaration or another declaration, which is not allowed in reports',
    );
  }

  #tag([tag, slash, name = '', rest = '']: RegExpExecArray): void {
    if (rest.split('=').length > MAX_XML_ATTRIBUTES + 1)
      throw tooLarge(`an element has more than ${MAX_XML_ATTRIBUTES} attributes`);
    if (slash === '/') this.#endTag(name, tag);
    else if (this.#current === undefined) this.#startOutside(name, rest.endsWith('/>'), tag);
    else this.#startTag(name, rest.endsWith('/>'), tag);
  }

  #startOutside(name: string, isEmpty: boolean, tag: string): void {
    const colon = name.indexOf(':');
    if (name.slice(colon + 1) !== feedback.name) {
      if (this.#isClosed && countedElements.has(name))
        throw unreadable(`<${name}> occurs after the end of the report`);
      this.#hasStray = true;
      return;
    }
    if (this.#isClosed) throw unreadable('there is more than one <feedback> element');
    this.#prefix = name.slice(0, colon + 1);
    this.#handler.onRoot(tag);
    this.#begin(feedback, isEmpty);
  }

  #startTag(name: string, isEmpty: boolean, tag: string): void {
    const local = this.#localName(name);
    const right = misspellings.get(local) ?? local;
    const child = this.#current?.children.find((element) => element.name === right);
    if (child !== undefined) {
      this.#begin(child, isEmpty);
      if (right !== local) this.#warnings.add('misnamed-element', () => this.place, local);
    } else if (!isValue(this.#current)) this.#startUnexpected(local, isEmpty, tag);
    else if (this.#isKnown(local)) {
      this.#closeImplicitly();
      this.#startTag(local, isEmpty, tag);
    } else this.#rawText(tag);
  }

  #startUnexpected(name: string, isEmpty: boolean, tag: string): void {
    const current = this.#current;
    const isInside = current?.content === 'any';
    if (isInside) this.#withContent.add(current);
    // A known element with children continues the report, so the open element has ended. A known value is only in the
    // wrong place.
    if (!isInside && this.#isKnown(name, ({ children }) => children.length > 0)) {
      this.#closeImplicitly();
      this.#startTag(name, isEmpty, tag);
      return;
    }
    const isExtension = this.#open.some((element) => element.name === 'extension');
    const isDecisive = isInside && this.#isKnown(name, (element) => element.isDecisive);
    if ((countedElements.has(name) || isDecisive) && !isExtension)
      throw unreadable(`<${name}> is not allowed in this place, ${this.place}`);
    if (!isInside) this.#warnings.add('unknown-element', () => this.place, name);
    this.#begin(skipped(name), isEmpty);
  }

  #endTag(name: string, tag: string): void {
    const local = this.#localName(name);
    const right = misspellings.get(local) ?? local;
    const isNamed = (element: Element): boolean => [name, local, right].includes(element.name);
    if (this.#current === undefined) this.#hasStray = true;
    else if (this.#open.some(isNamed)) {
      while (this.#current !== undefined && !isNamed(this.#current)) this.#closeImplicitly();
      this.#close();
    } else if (countedElements.has(local)) {
      throw unreadable(`</${local}> has no matching start tag, ${this.place}`);
    } else if (isValue(this.#current)) this.#rawText(tag);
    else this.#warnings.add('stray-end-tag', () => this.place, name);
  }

  /** Whether an open element can have a child with this name and kind. */
  #isKnown(name: string, isKind: (element: Element) => boolean = () => true): boolean {
    return this.#open.some(({ children }) => children.some((child) => child.name === name && isKind(child)));
  }

  #begin(element: Element, isEmpty = false): void {
    if (this.#open.length === MAX_XML_DEPTH)
      throw tooLarge(`elements are nested more than ${MAX_XML_DEPTH} levels deep`);
    if (element === record && this.#finished === MAX_RECORDS)
      throw tooLarge(`the report has more than ${formatNumber(MAX_RECORDS)} records`);
    // Each element of unknown content is an own object, which #withContent tells from others of its name.
    const opened = element.content === 'any' ? skipped(element.name) : element;
    this.#open.push(opened);
    this.#values.push('');
    this.#current = opened;
    this.#valueLength = 0;
    this.#isRaw = false;
    if (element.content === 'text') this.#add(element.start);
    else if (element.content === 'elements') this.#count(element.start.length);
    if (isEmpty) this.#close();
  }

  #close(): void {
    const element = this.#current;
    if (element === undefined) return;
    if (element.content === 'text') this.#add(element.end);
    const values = this.#values[this.#values.length - 1] ?? '';
    if (element.content === 'elements') {
      this.#ends.add(values, element);
      this.#handler.onValues(values, element);
    }
    this.#open.pop();
    this.#values.pop();
    this.#current = this.#open[this.#open.length - 1];
    if (element === record) {
      this.#finished++;
      this.#handler.onRecord();
    } else if (element === feedback) this.#isClosed = true;
    if (this.#current === feedback) this.#length = 0;
  }

  /** Adds to the values of the innermost element that contains elements. */
  #add(xml: string): void {
    this.#count(xml.length);
    this.#values[this.#values.length - 2] += xml;
  }

  #count(length: number): void {
    this.#length += length;
    if (this.#length > MAX_XML_ELEMENT)
      throw tooLarge('the values of a record or of the report are larger than 512 KB');
  }

  /** Closes the innermost element, whose end tag is missing. Throws a refusal if counted content may be lost. */
  #closeImplicitly(): void {
    const current = this.#current;
    if (current === undefined) return;
    if (current === record || current === feedback || this.#withContent.has(current))
      throw unreadable(`<${current.name}> has no end tag, ${this.place}`);
    this.#warnings.add('unclosed-element', () => this.place);
    this.#close();
  }

  /** The references in a value are kept. */
  #text(text: string): void {
    if (isValue(this.#current)) this.#append(text);
    else this.#stray(text);
  }

  /** Markup that starts no known tag: a part of the value, or between elements. */
  #rawText(text: string): void {
    if (!isValue(this.#current)) {
      this.#stray(text);
      return;
    }
    if (!this.#isRaw) this.#warnings.add('raw-markup', () => this.place, text);
    this.#isRaw = true;
    this.#append(escapeMarkup(text));
  }

  #append(text: string): void {
    this.#valueLength += text.length;
    if (this.#valueLength > MAX_XML_TOKEN) throw tooLarge('a value is longer than 64 KB');
    if (this.#current?.content === 'text') this.#add(text);
  }

  #stray(text: string): void {
    if (text.trim() === '') return;
    if (this.#current === undefined) this.#hasStray = true;
    else if (this.#current.content !== 'any') this.#warnings.add('stray-text', () => this.place, text.trim());
  }

  /** The name without the namespace prefix of the report. Other prefixes are kept. */
  #localName(name: string): string {
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }

  /** The path of the innermost element. */
  get place(): string {
    const names = this.#open.map(({ name }) => name).slice(1);
    if (names[0] === record.name) names[0] = `${record.name}[${this.#finished + 1}]`;
    return names.join('/') || feedback.name;
  }
}

const isValue = (element: Element | undefined): boolean =>
  element?.content === 'text' || element?.content === 'ignored';

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
