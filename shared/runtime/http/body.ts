/** Response bodies: a string, pieces that are generated while they are sent, to save memory, or bytes. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Sequence } from '../../api/sequence.ts';

type TextBody = string | Iterable<string>;

export type Body = TextBody | Uint8Array;

/** The minimum number of characters of a piece. */
const PIECE = 64 * 1024;

/** The JSON of a value that can contain sequences. */
export function jsonBody(value: unknown): TextBody {
  const mark = randomUUID();
  const sequences: Sequence<unknown>[] = [];
  const text = JSON.stringify(value, (_key, part) => {
    if (!(part instanceof Sequence)) return part;
    sequences.push(part);
    return mark;
  });
  return sequences.length === 0 ? text : inPieces(interleaved(text.split(`"${mark}"`), sequences));
}

function* interleaved(texts: readonly string[], sequences: readonly Sequence<unknown>[]): Iterable<string> {
  for (const [at, text] of texts.entries()) {
    yield text;
    const items = sequences[at]?.items;
    if (items === undefined) continue;
    let separator = '[';
    for (const item of items) {
      yield separator + JSON.stringify(item);
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
  }
}

/** Combines pieces of text into fewer, larger ones. */
export function* inPieces(texts: Iterable<string>): Iterable<string> {
  let waiting: string[] = [];
  let length = 0;
  for (const text of texts) {
    waiting.push(text);
    length += text.length;
    if (length < PIECE) continue;
    yield waiting.join('');
    waiting = [];
    length = 0;
  }
  yield waiting.join('');
}

/** The whole body; undefined if it is longer than `limit` bytes. */
export function joined(body: TextBody, limit: number): string | undefined {
  const pieces: string[] = [];
  let octets = 0;
  for (const piece of typeof body === 'string' ? [body] : body) {
    octets += Buffer.byteLength(piece);
    if (octets > limit) return undefined;
    pieces.push(piece);
  }
  return pieces.join('');
}

/** The body as gzip (RFC 1952); undefined if the result is longer than `limit` bytes. */
export async function compressed(body: Body, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let octets = 0;
  await pipeline(
    Readable.from(typeof body === 'string' || body instanceof Uint8Array ? [body] : body),
    createGzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        octets += chunk.length;
        // The rest is consumed and discarded, because ending early would be an error of the pipeline.
        if (octets <= limit) parts.push(chunk);
      }
    },
  );
  return octets <= limit ? Buffer.concat(parts) : undefined;
}
