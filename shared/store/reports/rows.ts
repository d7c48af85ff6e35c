/**
 * The stored form of a report's rows (DMARC records, TLS policies): compressed JSON lines, in the report's item if they
 * are small, else in chunk items (`stored-report.ts`).
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Bytes of text that are compressed together. Even incompressible text then fits into a chunk. */
const PIECE = 256 * 1024;
/** Bytes of a chunk; an item holds at most 400 KB (DynamoDB's limit). */
const CHUNK = 300 * 1024;
/** Pieces per chunk. A chunk is decompressed as a whole, so this limits it to 8 MB of text. */
const PIECES = 32;
/** Compressed bytes of rows in the report's item. Lists read whole items, so this has to be small. */
const INLINE = 8 * 1024;

export interface PackedRows {
  readonly rows: number;
  /** Bytes of the rows as text. */
  readonly rowOctets: number;
  /** A hash that identifies this sequence of rows. */
  readonly rowContent: string;
  /** All rows as lines of JSON if they are small; else empty, and the rows are in `chunks`. */
  readonly inline: string;
  readonly chunks: readonly Uint8Array[];
}

/** Accepts rows one by one and holds them compressed; 200,000 rows need a few megabytes. */
export function rowPacker() {
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  let waiting = '';
  let rows = 0;
  let octets = 0;

  function compress(): void {
    const text = Buffer.from(waiting);
    waiting = '';
    octets += text.length;
    hash.update(text);
    for (let at = 0; at < text.length; at += PIECE) pieces.push(gzipSync(text.subarray(at, at + PIECE)));
  }

  /** The rows, if they are so few that none has been compressed yet, and so small that they fit into the item. */
  function small(): string | undefined {
    if (pieces.length > 0) return undefined;
    const isShort = waiting.length <= INLINE || gzipSync(waiting).length <= INLINE;
    return isShort ? waiting : undefined;
  }

  return {
    add(row: object): void {
      waiting += `${JSON.stringify(row)}\n`;
      rows += 1;
      if (waiting.length >= PIECE) compress();
    },

    finish(): PackedRows {
      const inline = small();
      if (inline === undefined) compress();
      else {
        octets = Buffer.byteLength(inline);
        hash.update(inline);
      }
      const rowContent = hash.digest('hex').slice(0, 32);
      return { rows, rowOctets: octets, rowContent, inline: inline ?? '', chunks: chunksOf(pieces) };
    },
  };
}

/** Joins pieces while they fit. Concatenated gzip members are valid gzip (RFC 1952 section 2.2). */
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

/** The rows in lines of JSON. Rows are parsed lazily. */
export function* rowsIn<Row>(lines: string): Iterable<Row> {
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf('\n', at);
    yield JSON.parse(lines.slice(at, end));
    at = end + 1;
  }
}

/** The rows in `packed`, which must be complete and in order. Rows are parsed lazily. */
export function* unpackRows<Row>(packed: readonly Uint8Array[]): Iterable<Row> {
  const decoder = new TextDecoder();
  let begun = '';
  for (const octets of packed) {
    const lines = (begun + decoder.decode(gunzipSync(octets), { stream: true })).split('\n');
    // A chunk may end within a row or within a character.
    begun = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}
