/**
 * The rows of a report (records of a DMARC report, policies of a TLS report) as they are kept: lines of JSON,
 * compressed, in the report's own item where they are small, else in chunk items of their own.
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Octets of text that are compressed at a time: even where nothing can be saved, a piece fits into a chunk. */
const PIECE = 256 * 1024;
/** Octets of a chunk: an item holds 400 KB (DynamoDB's limit). */
const CHUNK = 300 * 1024;
/** Pieces of a chunk, which is read as a whole: so it is at most 8 MB of text. */
const PIECES = 32;
/** Octets kept beside the report's header. Lists read the headers whole, so that what lies in them has to be small. */
const INLINE = 8 * 1024;
export interface PackedRows {
  readonly rows: number;
  /** Octets of the rows as text. */
  readonly octets: number;
  /** Tells this very sequence of rows, as it is written down, from every other one. */
  readonly content: string;
  /** All rows, where they are small; otherwise empty, and the rows are in `chunks`. */
  readonly inline: Uint8Array;
  readonly chunks: readonly Uint8Array[];
}

/** Takes rows one by one and holds them compressed; 200,000 of them need some megabytes. */
export function rowPacker() {
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  let waiting: string[] = [];
  let waitingLength = 0;
  let rows = 0;
  let octets = 0;

  function compress(): void {
    const text = Buffer.from(waiting.join(''));
    waiting = [];
    waitingLength = 0;
    octets += text.length;
    hash.update(text);
    for (let at = 0; at < text.length; at += PIECE) pieces.push(gzipSync(text.subarray(at, at + PIECE)));
  }

  return {
    add(row: object): void {
      const line = `${JSON.stringify(row)}\n`;
      waiting.push(line);
      waitingLength += line.length;
      rows += 1;
      if (waitingLength >= PIECE) compress();
    },

    finish(): PackedRows {
      compress();
      const content = hash.digest('hex').slice(0, 32);
      const small = pieces.reduce((sum, piece) => sum + piece.length, 0) <= INLINE;
      return {
        rows,
        octets,
        content,
        inline: small ? Buffer.concat(pieces) : Buffer.alloc(0),
        chunks: small ? [] : chunksOf(pieces),
      };
    },
  };
}

/** Puts pieces together as long as they fit: gzip members after one another are gzip again (RFC 1952 section 2.2). */
function chunksOf(pieces: readonly Buffer[]): Buffer[] {
  const chunks: Buffer[][] = [];
  let room = 0;
  for (const piece of pieces) {
    if (piece.length > room || chunks.at(-1)?.length === PIECES) {
      chunks.push([]);
      room = CHUNK;
    }
    chunks.at(-1)?.push(piece);
    room -= piece.length;
  }
  return chunks.map((members) => Buffer.concat(members));
}

/** The rows that `packed` holds, all of a report's octets in their order; each is read when it is asked for. */
export function* unpackRows<Row>(packed: readonly Uint8Array[]): Iterable<Row> {
  const decoder = new TextDecoder();
  let begun = '';
  for (const octets of packed) {
    if (octets.length === 0) continue;
    const lines = (begun + decoder.decode(gunzipSync(octets), { stream: true })).split('\n');
    // A chunk may end within a row, and within a character.
    begun = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}
