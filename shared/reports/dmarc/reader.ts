/** Follows the elements of an aggregate report, even if tags are missing, misplaced or not escaped. */

import { MAX_XML_DEPTH, MAX_XML_TOKEN } from '../limits.ts';
import { notAReport, tooLarge, unreadable } from '../refusal.ts';
import type { DmarcCounts, DmarcRecordRow } from '../report.ts';
import type { Warnings } from '../warnings.ts';
import { expandReferences, type XmlHandler } from '../xml/tokenizer.ts';
import { DmarcGathering } from './gathering.ts';
import { countedElements, type Draft, feedback, type Shape, skipped } from './shape.ts';

export class DmarcReader implements XmlHandler {
  readonly #warnings: Warnings;
  readonly #open: Shape[] = [];
  /**
   * The depth of the unknown element that contains other elements; 0 if there is none. If it has no end tag, the report
   * is refused, because its content would be lost.
   */
  #depthOfContent = 0;
  #current: Shape | undefined;
  /** The text of the innermost element, if that element can have text. */
  #text = '';
  #isRaw = false;
  #prefix = '';
  #isClosed = false;
  #hasStray = false;

  readonly #gathering: DmarcGathering;

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
    this.#gathering = new DmarcGathering(warnings, (field) => this.#place(field));
  }

  get header(): Draft<'header'> {
    return this.#gathering.header;
  }

  get policy(): Draft<'policy'> {
    return this.#gathering.policy;
  }

  get counts(): DmarcCounts {
    return this.#gathering.counts;
  }

  /** The rows of complete records. The caller removes them. */
  get rows(): DmarcRecordRow[] {
    return this.#gathering.rows;
  }

  /** Call this at the end of the text. `remainder` is the incomplete markup at the end, if any. */
  end(remainder: string): void {
    const isCutTag = remainder.replace(/^<\/(?:[\w.-]+:)?/, '').trimEnd() === feedback.name;
    if (isCutTag && this.#current === feedback) {
      this.#warnings.add('cut-end-tag');
      this.#close();
    } else if (remainder !== '') this.#hasStray = true;
    if (this.#open.length > 0) {
      throw unreadable(`the report is truncated: it ends inside <${this.#current?.name}>, ${this.#place()}`);
    }
    if (!this.#isClosed) throw notAReport('the XML has no <feedback> element');
    if (this.#hasStray) this.#warnings.add('outside-root');
    if (this.#gathering.finished === 0) this.#warnings.add('no-records');
  }

  startTag(buffer: string, start: number, nameEnd: number, end: number, isEmpty: boolean): void {
    const current = this.#current;
    const child = current === undefined ? undefined : childNamed(current, buffer, start + 1, nameEnd);
    if (child !== undefined) {
      this.#begin(child, isEmpty);
      return;
    }
    const name = buffer.slice(start + 1, nameEnd);
    if (current === undefined) this.#outside(name, isEmpty);
    else this.#start(name, isEmpty, buffer.slice(start, end));
  }

  endTag(buffer: string, start: number, nameEnd: number, end: number): void {
    const current = this.#current;
    if (current === undefined) this.#hasStray = true;
    else if (isNamed(current, buffer, start + 2, nameEnd)) this.#close();
    else this.#end(buffer.slice(start + 2, nameEnd), buffer.slice(start, end));
  }

  text(buffer: string, start: number, end: number, isBlank: boolean): void {
    if (this.#current?.field !== undefined) {
      const text = buffer.slice(start, end);
      this.#append(
        text.includes('&')
          ? expandReferences(text, () => this.#warnings.add('raw-ampersand', () => this.#place(), text))
          : text,
      );
    } else if (!isBlank) this.#stray(buffer.slice(start, end));
  }

  characters(text: string): void {
    if (this.#current?.field !== undefined) this.#append(text);
    else if (text.trim() !== '') this.#stray(text);
  }

  rawMarkup(): void {
    if (this.#current?.field === undefined) this.#stray('<');
    else this.#rawText('<');
  }

  declaration(start: string): void {
    // A document type declaration names the root element (XML 1.0 section 2.8).
    const root = /^<!DOCTYPE\s+(?:[\w.-]+:)?([\w.-]+)/i.exec(start)?.[1];
    const isInFront = this.#current === undefined && !this.#isClosed;
    if (isInFront && root !== feedback.name) throw notAReport('it is a web page or another XML document');
    throw unreadable(
      'the XML has a document type declaration or another declaration, which is not allowed in reports',
    );
  }

  #outside(name: string, isEmpty: boolean): void {
    const colon = name.indexOf(':');
    if (name.slice(colon + 1) !== feedback.name) {
      if (this.#isClosed && countedElements.has(name))
        throw unreadable(`<${name}> occurs after the end of the report`);
      this.#hasStray = true;
      return;
    }
    if (this.#isClosed) throw unreadable('there is more than one <feedback> element');
    this.#prefix = name.slice(0, colon + 1);
    this.#begin(feedback, isEmpty);
  }

  /** Handles a start tag whose name is not exactly that of a known child. */
  #start(name: string, isEmpty: boolean, tag: string): void {
    const local = this.#localName(name);
    const child = this.#current?.children.find((shape) => shape.name === local);
    if (child !== undefined) this.#begin(child, isEmpty);
    else if (this.#current?.field !== undefined) this.#startInText(local, isEmpty, tag);
    else this.#startUnexpected(local, name, isEmpty, tag);
  }

  /** Handles a start tag inside a value. A known tag ends the value; any other tag is part of it. */
  #startInText(local: string, isEmpty: boolean, tag: string): void {
    if (this.#isKnown(local)) {
      this.#closeImplicitly();
      this.#start(local, isEmpty, tag);
    } else this.#rawText(tag);
  }

  #startUnexpected(local: string, name: string, isEmpty: boolean, tag: string): void {
    const isInside = this.#current?.isSkipped === true;
    if (isInside) this.#depthOfContent = this.#open.length;
    // A known element with children continues the report, so the open element has ended. A known value is only in the
    // wrong place.
    const isStructure = this.#isKnown(local, ({ children }) => children.length > 0);
    if (!isInside && isStructure) {
      this.#closeImplicitly();
      this.#start(local, isEmpty, tag);
      return;
    }
    const isExtension = this.#open.some((shape) => shape.name === 'extension');
    const isDecisive = isInside && this.#isKnown(local, ({ field }) => field?.isDecisive === true);
    if ((countedElements.has(local) || isDecisive) && !isExtension) {
      throw unreadable(`<${local}> is not allowed in this place, ${this.#place()}`);
    }
    if (!isInside) this.#warnings.add('unknown-element', () => this.#place(), name);
    this.#begin(skipped(name), isEmpty);
  }

  /** Handles an end tag whose name is not exactly that of the innermost element. */
  #end(name: string, tag: string): void {
    const local = this.#localName(name);
    if (this.#open.some((shape) => shape.name === local || shape.name === name)) {
      while (this.#current?.name !== local && this.#current?.name !== name) this.#closeImplicitly();
      this.#close();
    } else if (countedElements.has(local)) {
      throw unreadable(`</${local}> has no matching start tag, ${this.#place()}`);
    } else if (this.#current?.field !== undefined) this.#rawText(tag);
    else this.#warnings.add('stray-end-tag', () => this.#place(), name);
  }

  /** Whether an open element can have a child with this name and kind. */
  #isKnown(name: string, isKind: (shape: Shape) => boolean = () => true): boolean {
    return this.#open.some(({ children }) => children.some((child) => child.name === name && isKind(child)));
  }

  #begin(shape: Shape, isEmpty: boolean): void {
    if (this.#open.length === MAX_XML_DEPTH)
      throw tooLarge(`elements are nested more than ${MAX_XML_DEPTH} levels deep`);
    this.#open.push(shape);
    this.#current = shape;
    this.#text = '';
    this.#isRaw = false;
    if (shape.isMisnamed) this.#warnings.add('misnamed-element', () => this.#place());
    if (shape.begins !== undefined) this.#gathering.begin(shape.begins);
    if (isEmpty) this.#close();
  }

  #close(): void {
    const shape = this.#open.pop();
    if (shape?.field !== undefined) this.#gathering.set(shape.field, this.#text.trim());
    if (shape?.begins !== undefined) this.#gathering.end(shape.begins);
    this.#current = this.#open[this.#open.length - 1];
    const depth = this.#open.length;
    if (this.#depthOfContent > depth) this.#depthOfContent = this.#current?.isSkipped ? depth : 0;
    if (shape === feedback) this.#isClosed = true;
  }

  /** Closes the innermost element, whose end tag is missing. Throws a refusal if counted content may be lost. */
  #closeImplicitly(): void {
    const name = this.#current?.name ?? '';
    const isCut = name === 'record' || name === feedback.name;
    if (isCut || this.#depthOfContent === this.#open.length) {
      throw unreadable(`<${name}> has no end tag, ${this.#place()}`);
    }
    this.#warnings.add('unclosed-element', () => this.#place());
    this.#close();
  }

  #append(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text;
    if (this.#text.length > MAX_XML_TOKEN) throw tooLarge('a value is longer than 64 KB');
  }

  #rawText(text: string): void {
    if (!this.#isRaw) this.#warnings.add('raw-markup', () => this.#place(), this.#text + text);
    this.#isRaw = true;
    this.#append(text);
  }

  #stray(text: string): void {
    if (this.#current === undefined) this.#hasStray = true;
    else if (!this.#current.isSkipped) this.#warnings.add('stray-text', () => this.#place(), text.trim());
  }

  /** The name without the namespace prefix of the report. Other prefixes are kept. */
  #localName(name: string): string {
    return this.#prefix !== '' && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }

  #place(field = ''): string {
    const names = this.#open.map((shape) => shape.name).slice(1);
    if (names[0] === 'record') names[0] = `record[${this.#gathering.finished + 1}]`;
    const path = names.join('/');
    return path === '' ? field || feedback.name : path;
  }
}

/** Compares names in the buffer without creating strings, which would take most of the parsing time. */
function childNamed(parent: Shape, buffer: string, start: number, end: number): Shape | undefined {
  for (const child of parent.children) if (isNamed(child, buffer, start, end)) return child;
  return undefined;
}

function isNamed({ name }: Shape, buffer: string, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) {
    if (name.charCodeAt(at) !== buffer.charCodeAt(start + at)) return false;
  }
  return true;
}
