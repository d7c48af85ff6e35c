/** Decodes the bytes of an XML document (XML 1.0 section 4.3.3 and appendix F). */
import { TextDecoder } from 'node:util';
import { detectUtf16 } from '../byte-order.ts';
import type { Warnings } from '../warnings.ts';

/** The maximum length of an XML declaration. */
const DECLARATION_BYTES = 200;

/** Decodes chunks of one document. Invalid bytes become U+FFFD with a warning; a byte order mark is dropped. */
export class XmlText {
  readonly #warnings: Warnings;
  #decoder: TextDecoder | undefined;

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
  }

  decode(chunk: Uint8Array): string {
    this.#decoder ??= this.#decoderFor(chunk);
    return this.#checked(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string {
    return this.#checked(this.#decoder?.decode() ?? '');
  }

  #checked(text: string): string {
    if (text.includes('\ufffd')) this.#warnings.add('not-utf-8');
    return text;
  }

  #decoderFor(chunk: Uint8Array): TextDecoder {
    const label = detectUtf16(chunk) ?? declaredEncoding(chunk) ?? 'utf-8';
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
