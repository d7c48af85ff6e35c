/** Decodes the bytes of an XML document (XML 1.0 section 4.3.3 and appendix F). */
import { TextDecoder } from 'node:util';
import { utf16Form } from '../byte-order.ts';
import { MAX_XML_TOKEN } from '../limits.ts';
import type { Warnings } from '../warnings.ts';

const GREATER_THAN = 0x3e;

/** The maximum length of an XML declaration. */
const DECLARATION_BYTES = 200;

/** Decodes chunks of one document. Invalid bytes become U+FFFD with a warning; a byte order mark is dropped. */
export class XmlText {
  readonly #warnings: Warnings;
  /** Bytes after the last tag. A chunk that ends with a tag can be tokenized without the following one. */
  #rest: Uint8Array = new Uint8Array();
  #decoder: TextDecoder | undefined;

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
  }

  decode(chunk: Uint8Array): string {
    this.#decoder ??= this.#decoderFor(chunk);
    if (this.#decoder.encoding !== 'utf-8')
      return this.#checked(this.#decoder.decode(chunk, { stream: true }));
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(GREATER_THAN) + 1;
    if (end === 0 && bytes.length <= MAX_XML_TOKEN) {
      this.#rest = bytes;
      return '';
    }
    const whole = end === 0 ? bytes.length : end;
    this.#rest = bytes.subarray(whole);
    return this.#checked(this.#decoder.decode(bytes.subarray(0, whole), { stream: true }));
  }

  end(): string {
    return this.#checked(this.#decoder?.decode(this.#rest) ?? '');
  }

  #checked(text: string): string {
    if (text.includes('\ufffd')) this.#warnings.add('not-utf-8');
    return text;
  }

  #decoderFor(chunk: Uint8Array): TextDecoder {
    const label = utf16Form(chunk) ?? declaredEncoding(chunk) ?? 'utf-8';
    try {
      const decoder = new TextDecoder(label);
      if (decoder.encoding !== 'utf-8') this.#warnings.add('other-encoding', undefined, decoder.encoding);
      return decoder;
    } catch {
      this.#warnings.add('other-encoding', undefined, label);
      return new TextDecoder('utf-8');
    }
  }
}

/** A declaration that is readable byte by byte is not UTF-16, whatever it states. */
function declaredEncoding(chunk: Uint8Array): string | undefined {
  const start = Buffer.from(chunk.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const label = /^[^<]{0,8}<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})["']/
    .exec(start)?.[1]
    ?.toLowerCase();
  return label?.startsWith('utf-16') || label === 'us-ascii' ? 'utf-8' : label;
}
