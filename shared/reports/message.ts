/** Splits a raw message into its parts (RFC 5322, RFC 2045), as bytes, with limits on their number, size and depth. */
import { Readable } from 'node:stream';
import type { MailParser } from 'mailparser';
import { once } from '../network/once.ts';
import type { ReadingTime } from './budget.ts';
import { inMegabytes } from './budget.ts';
import { mayHoldReport } from './documents.ts';
import { MAX_MESSAGE_BYTES, MAX_MIME_DEPTH, MAX_MIME_PARTS } from './limits.ts';
import { RefusalError, tooLarge, unreadable } from './refusal.ts';

export type ByteSource = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface MessagePart {
  /** The content type in lower case, without parameters; empty if there is none. */
  readonly type: string;
  /** The decoded file name (RFC 2231); empty if there is none. */
  readonly fileName: string;
  /** The content after decoding the transfer encoding; empty for a message, whose own parts follow. */
  readonly bytes: Uint8Array;
  /** Header fields of the message that contains the part. */
  readonly headers: MessageHeaders;
}

/** Values of header fields by lower-case name; if a field is repeated, the last one. */
export type MessageHeaders = ReadonlyMap<string, string>;

/** The remaining number of parts and the remaining time of a mail, including the messages in it. */
export class PartBudget {
  #parts = MAX_MIME_PARTS;
  readonly #time: ReadingTime;

  constructor(time: ReadingTime) {
    this.#time = time;
  }

  /** Throws a refusal if the time is up. */
  checkTime(): void {
    this.#time.check();
  }

  /** Throws a refusal if there are too many parts, or one is nested too deeply. */
  spend(level: number): void {
    this.checkTime();
    if (--this.#parts < 0) throw tooLarge(`the mail has more than ${MAX_MIME_PARTS} MIME parts`);
    if (level > MAX_MIME_DEPTH) throw tooManyLevels();
  }
}

/** Its loading takes longer than reading a file that is no mail. */
const loadParser = once(() => import('mailparser'));

/** Real header sections stay below 100 KB; the parser takes seconds for a hostile megabyte of them. */
const MAX_HEAD_BYTES = 262_144;
const PIECE_BYTES = 65_536;
/** RFC 5322 section 2.1.1: the length of a line. */
const MAX_LINE = 998;

/**
 * The leaf parts in order. The parts of attached messages (message/rfc822) are included. Throws only refusals, and what
 * `source` throws.
 */
export async function* messageParts(
  source: ByteSource,
  budget: PartBudget,
  depth = 0,
): AsyncGenerator<MessagePart> {
  if (depth > MAX_MIME_DEPTH) throw tooManyLevels();
  const { MailParser } = await loadParser();
  const parser = new MailParser({
    maxHeadSize: MAX_HEAD_BYTES,
    maxChildNodes: MAX_MIME_PARTS,
    checksumAlgo: 'sha1',
    // Attached messages are split by a recursive call. The parser itself never ends if it has not seen their whole header.
    ignoreEmbedded: true,
  });
  // Parts are needed as bytes, so the parser must not decode any as text.
  parser.textTypes = [];
  // Nothing reads the addresses as HTML, so bundles contain no code for it.
  parser.getAddressesHTML = () => '';
  // If the parser fails within an attachment, its content never ends by itself.
  let content: Readable | undefined;
  parser.on('error', (fault: Error) => content?.destroy(fault));
  let ownFault: unknown;
  const input = Readable.from(limited(source, budget), { objectMode: false });
  input.on('error', (fault) => {
    ownFault = fault;
    parser.destroy(fault);
  });
  try {
    for await (const item of input.pipe(parser)) {
      if (item.type !== 'attachment') continue;
      content = item.content;
      const headers = headersOf(parser);
      const type = item.contentType || '';
      const fileName = item.filename ?? '';
      const isMisspelt = misspeltType(headers) !== undefined;
      const bytes = await held(
        item.content,
        (start) => isMisspelt || isMessage(type, fileName, start) || mayHoldReport(start),
      );
      item.release();
      const level = depth + (item.partId?.split('.').length ?? 0);
      budget.spend(level);
      const part = { type, fileName, bytes, headers };
      const inner = innerMessage(part);
      yield inner === undefined ? part : { ...part, bytes: new Uint8Array() };
      if (inner !== undefined) yield* messageParts(inner, budget, level + 1);
    }
  } catch (fault) {
    throw fault === ownFault ? fault : asRefusal(fault);
  } finally {
    input.destroy();
    parser.destroy();
  }
}

/** The attached message in a part, or a part whose Content-Type field is misspelled; undefined for other parts. */
function innerMessage({ type, fileName, bytes, headers }: MessagePart): ByteSource | undefined {
  if (isMessage(type, fileName, bytes)) return bytes;
  const misspelt = misspeltType(headers);
  if (misspelt === undefined) return undefined;
  return [Buffer.from(`Content-Type: ${misspelt.replace(/[\r\n]+/g, ' ')}\r\n\r\n`), bytes];
}

/** Also `message/global` (RFC 6532 section 3.7), and message files with another content type. */
function isMessage(type: string, fileName: string, bytes: Uint8Array): boolean {
  if (type === 'message/rfc822' || type === 'message/global') return true;
  return /\.eml$/i.test(fileName) && messageStart(bytes) !== undefined;
}

function misspeltType(headers: MessageHeaders): string | undefined {
  return headers.has('content-type') ? undefined : headers.get('contenttype');
}

/** How much of a part decides whether it is needed, and how much is kept if it is not. */
const START_BYTES = 4_096;
const KEPT_BYTES = 65_536;

/** Reads a part to its end. Keeps all of it only if its start shows that it is needed. */
async function held(
  content: AsyncIterable<Uint8Array>,
  isWanted: (start: Uint8Array) => boolean,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let limit = Number.POSITIVE_INFINITY;
  for await (const chunk of content) {
    if (length > limit) continue;
    const before = length;
    chunks.push(chunk);
    length += chunk.length;
    if (before < START_BYTES && length >= START_BYTES && !isWanted(Buffer.concat(chunks))) limit = KEPT_BYTES;
  }
  return Buffer.concat(chunks);
}

async function* limited(source: ByteSource, budget: PartBudget): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of source instanceof Uint8Array ? [source] : source) {
    length += chunk.length;
    if (length > MAX_MESSAGE_BYTES)
      throw tooLarge(`the mail is larger than ${inMegabytes(MAX_MESSAGE_BYTES)}`);
    // In pieces, so that the time is checked while the parser works.
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      budget.checkTime();
      yield withoutLongBlanks(chunk.subarray(at, at + PIECE_BYTES));
    }
  }
}

/**
 * Shortens runs of blanks and carriage returns to the maximum length of a line. The parser needs quadratic time for
 * longer runs, both in header fields and in quoted-printable text.
 */
function withoutLongBlanks(bytes: Uint8Array): Uint8Array {
  let run = 0;
  const keeps = (byte: number): boolean => {
    run = isBlank(byte) ? run + 1 : 0;
    return run <= MAX_LINE;
  };
  return mayHoldLongBlanks(bytes) ? bytes.filter(keeps) : bytes;
}

/** A run that is too long covers one of the positions that are as far apart as it is long. */
function mayHoldLongBlanks(bytes: Uint8Array): boolean {
  for (let at = MAX_LINE; at < bytes.length; at += MAX_LINE + 1) if (isBlank(bytes[at])) return true;
  return false;
}

const [TAB, CR, SPACE] = [0x09, 0x0d, 0x20];

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB || byte === CR;

function headersOf({ headers }: MailParser): MessageHeaders {
  return new Map([...(headers || [])].map(([name, value]) => [name, textOf(value)]));
}

/** Addresses contain their text; fields with parameters are objects with `value` and `params`. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return textOf(value.at(-1));
  if (typeof value !== 'object' || value === null) return '';
  if ('text' in value) return textOf(value.text);
  if (!('value' in value && 'params' in value)) return '';
  const parameters = Object.entries(value.params ?? {}).map(([name, text]) => `; ${name}=${textOf(text)}`);
  return textOf(value.value) + parameters.join('');
}

/** The parser throws its own exceptions if it cannot continue with a message. */
function asRefusal(fault: unknown): RefusalError {
  if (fault instanceof RefusalError) return fault;
  if (typeof fault === 'object' && fault !== null && 'code' in fault && fault.code === 'EMAXLEN') {
    return tooLarge(`the mail has more than ${MAX_MIME_PARTS} MIME parts, or a header larger than 256 KB`);
  }
  return unreadable('the MIME parts of the mail cannot be parsed');
}

const tooManyLevels = () =>
  tooLarge(`the MIME parts of the mail are nested more than ${MAX_MIME_DEPTH} levels deep`);

/**
 * The offset at which a message (RFC 5322) starts in a file: that of the first header field or mbox line, after a byte order
 * mark and empty lines. Undefined if the file is not a message.
 */
export function messageStart(bytes: Uint8Array): number | undefined {
  const text = Buffer.from(bytes.subarray(0, 1_000)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?[\r\n]*(?=(?:From .*\r?\n)?(?![<{])[!-9;-~]{1,76}[ \t]*:)/.exec(text)?.[0].length;
}
