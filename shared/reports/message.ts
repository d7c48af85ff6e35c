/** The parts of a raw message (RFC 5322, RFC 2045), as bytes, with a limit on everything there can be too much of. */
import { Readable } from 'node:stream';
import { MailParser } from 'mailparser';
import { inMegabytes } from './budget.ts';
import { mayHoldReport } from './documents.ts';
import { MAX_MESSAGE_BYTES, MAX_MIME_DEPTH, MAX_MIME_PARTS } from './limits.ts';
import { messageStart } from './message-start.ts';
import type { ReadingTime } from './reading-time.ts';
import { RefusalError, tooLarge, unreadable } from './refusal.ts';

export type ByteSource = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface MessagePart {
  /** Lower case, without parameters; empty where there is none. */
  readonly type: string;
  /** As stated, RFC 2231 continuations joined; empty where there is none. */
  readonly fileName: string;
  /** The content without its transfer encoding. */
  readonly bytes: Uint8Array;
  /** Header fields of the message that the part is of. */
  readonly headers: MessageHeaders;
  /** How many messages and multiparts are around it. */
  readonly level: number;
}

/** Values of header fields by lower-case name; the last one where a field occurs more than once. */
export type MessageHeaders = ReadonlyMap<string, string>;

/** How many parts a mail and the messages inside it may still have, and how long they may still be read. */
export class PartBudget {
  #parts = MAX_MIME_PARTS;
  readonly #time: ReadingTime;

  constructor(time: ReadingTime) {
    this.#time = time;
  }

  /** Throws a refusal where the time is over. */
  checkTime(): void {
    this.#time.check();
  }

  /** Throws a refusal where there are too many, or where one lies too deep. */
  spend(level: number): void {
    this.checkTime();
    if (--this.#parts < 0) throw tooLarge(`the mail has more than ${MAX_MIME_PARTS} parts`);
    if (level > MAX_MIME_DEPTH) throw tooManyLevels();
  }
}

/** Real header sections stay below 100 KB; the parser takes seconds for a hostile megabyte of them. */
const MAX_HEAD_BYTES = 262_144;
const PIECE_BYTES = 65_536;

/**
 * Leaf parts in their order; messages inside (message/rfc822) are gone through like the rest. Never ends with another
 * exception than a refusal, as long as the source throws none.
 */
export async function* messageParts(
  source: ByteSource,
  budget: PartBudget,
  depth = 0,
): AsyncGenerator<MessagePart> {
  if (depth > MAX_MIME_DEPTH) throw tooManyLevels();
  const parser = new MailParser({
    maxHeadSize: MAX_HEAD_BYTES,
    maxChildNodes: MAX_MIME_PARTS,
    checksumAlgo: 'sha1',
  });
  // Everything is wanted as the bytes it is, so nothing may be taken for text of the message and decoded.
  parser.textTypes = [];
  // Where the parser gives up within an attachment, its content would be waited for without end.
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
      const part = { type, fileName, bytes, headers, level };
      const inner = innerMessage(part);
      if (inner === undefined) yield part;
      else yield* messageParts(inner, budget, level + 1);
    }
  } catch (fault) {
    throw fault === ownFault ? fault : asRefusal(fault);
  } finally {
    input.destroy();
    parser.destroy();
  }
}

/** A message in its encoded or misspelt wrapping, which the parser leaves as it is. */
function innerMessage({ type, fileName, bytes, headers }: MessagePart): ByteSource | undefined {
  if (isMessage(type, fileName, bytes)) return bytes;
  const misspelt = misspeltType(headers);
  if (misspelt === undefined) return undefined;
  return [Buffer.from(`Content-Type: ${misspelt.replace(/[\r\n]+/g, ' ')}\r\n\r\n`), bytes];
}

/** `message/global` (RFC 6532 section 3.7) may be encoded; files are often sent as something else than they are. */
export function isMessage(type: string, fileName: string, bytes: Uint8Array): boolean {
  if (type === 'message/rfc822' || type === 'message/global') return true;
  return /\.eml$/i.test(fileName) && messageStart(bytes) !== undefined;
}

function misspeltType(headers: MessageHeaders): string | undefined {
  return headers.has('content-type') ? undefined : headers.get('contenttype');
}

/** How much of a part tells what it is, and how much is kept of one that is of no use. */
const START_BYTES = 4_096;
const KEPT_BYTES = 65_536;

/** Reads a part to its end, and keeps it whole where it is wanted going by its start. */
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
    // In pieces, so that the parser takes no more at a time than it works off.
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      budget.checkTime();
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

function headersOf({ headers }: MailParser): MessageHeaders {
  return new Map([...(headers || [])].map(([name, value]) => [name, textOf(value)]));
}

/** Addresses come with their text, fields with parameters as `value` and `params`. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return textOf(value.at(-1));
  if (typeof value !== 'object' || value === null) return '';
  if ('text' in value) return textOf(value.text);
  if (!('value' in value && 'params' in value)) return '';
  const parameters = Object.entries(value.params ?? {}).map(([name, text]) => `; ${name}=${textOf(text)}`);
  return textOf(value.value) + parameters.join('');
}

/** The parser ends with exceptions of its own where it cannot go on with a message. */
function asRefusal(fault: unknown): RefusalError {
  if (fault instanceof RefusalError) return fault;
  if (typeof fault === 'object' && fault !== null && 'code' in fault && fault.code === 'EMAXLEN') {
    return tooLarge(`the mail has more than ${MAX_MIME_PARTS} parts, or a header that is larger than 256 KB`);
  }
  return unreadable('the mail cannot be taken apart into its parts');
}

const tooManyLevels = () => tooLarge(`the parts of the mail are nested more than ${MAX_MIME_DEPTH} deep`);
