/** Finds the documents in an attachment. Formats are detected by content, because names and types are often wrong. */
import { excerpt } from '../protocol/findings/excerpt.ts';
import { deflatedStart, gunzip, isGzip, undeflate } from './archive/inflate.ts';
import { isZip, readZip, unzip } from './archive/zip.ts';
import { inMegabytes, type UnpackBudget } from './budget.ts';
import { MAX_ARCHIVE_DEPTH, MAX_COMPRESSED_BYTES, MAX_ZIP_ENTRIES_USED } from './limits.ts';
import { RefusalError, tooLarge } from './refusal.ts';
import type { Refusal } from './report.ts';
import type { Warnings } from './warnings.ts';

type DocumentKind = 'xml' | 'json' | 'other';

export interface Document {
  readonly outcome: 'document';
  /** File names from the outermost archive inwards, joined by "/". */
  readonly source: string;
  readonly kind: DocumentKind;
  /** Whether the document is inside an archive. */
  readonly isPacked: boolean;
  /** The bytes, from the start on each call. Throws a refusal if the surrounding archive is corrupt. */
  readonly open: Opener;
}

/** Files of an archive that were ignored because there are too many. */
interface Leftover {
  readonly outcome: 'leftover';
  readonly source: string;
  readonly detail: string;
}

export type Opener = (
  budget: UnpackBudget,
  warnings: Warnings,
) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The maximum number of characters of a file name in outcomes. */
const MAX_NAME = 255;

interface Layer {
  readonly source: string;
  readonly open: Opener;
  /** The number of surrounding archives. */
  readonly depth: number;
}

/** Whether a file can contain a report, according to its first bytes. */
export function mayHoldReport(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, SLICE_BYTES);
  return isZip(head) || kindOf(head) !== 'other' || unpackerOf(head) !== undefined;
}

/** The function that decompresses a file with this start to one other file; undefined if it is not such a file. */
function unpackerOf(head: Uint8Array): typeof gunzip | undefined {
  if (isGzip(head)) return gunzip;
  const isDeflated = !isZip(head) && kindOf(head) === 'other' && kindOf(deflatedStart(head)) !== 'other';
  return isDeflated ? undeflate : undefined;
}

/** The documents in one attachment, and a refusal for each part that cannot be decompressed. */
export async function* documents(
  name: string,
  bytes: Uint8Array,
  budget: UnpackBudget,
  warnings: Warnings,
): AsyncGenerator<Document | Leftover | Refusal> {
  const open: Opener = (reading) => slices(bytes, reading);
  yield* walk({ source: excerpt(name, MAX_NAME), open, depth: 0 }, budget, warnings);
}

async function* walk(
  layer: Layer,
  budget: UnpackBudget,
  warnings: Warnings,
): AsyncGenerator<Document | Leftover | Refusal> {
  const { source, open, depth } = layer;
  try {
    budget.startDocument();
    const head = await firstChunk(open(budget, warnings));
    const unpack = unpackerOf(head);
    if (unpack === undefined && !isZip(head)) {
      const kind = kindOf(head);
      const isPacked = depth > 0;
      yield { outcome: 'document', source, kind, isPacked, open: depth > 1 ? noting(open) : open };
      return;
    }
    if (depth === MAX_ARCHIVE_DEPTH) throw tooLarge('archives are nested more than two levels deep');
    const packed = await collect(open(budget, warnings), MAX_COMPRESSED_BYTES, 'the compressed file');
    const inside = unpack ? [member(layer, packed, unpack)] : entries(layer, packed, warnings);
    for (const inner of inside.slice(0, MAX_ZIP_ENTRIES_USED)) yield* walk(inner, budget, warnings);
    if (inside.length > MAX_ZIP_ENTRIES_USED) {
      const detail = `it contains ${inside.length} files, of which only the first ${MAX_ZIP_ENTRIES_USED} were read`;
      yield { outcome: 'leftover', source, detail };
    }
  } catch (refusal) {
    if (!(refusal instanceof RefusalError)) throw refusal;
    yield { outcome: refusal.reason, source, detail: refusal.message };
  }
}

function member({ source, depth }: Layer, packed: Uint8Array, unpack: typeof gunzip): Layer {
  return {
    source: source.replace(/\.(?:gz|gzip|zlib|deflate)$/i, ''),
    open: (budget, warnings) => unpack(packed, budget, warnings),
    depth: depth + 1,
  };
}

function entries({ source, depth }: Layer, packed: Uint8Array, warnings: Warnings): Layer[] {
  return readZip(packed, warnings)
    .filter(({ name }) => !name.startsWith('__MACOSX/'))
    .map((entry) => ({
      source: `${source}/${excerpt(entry.name, MAX_NAME)}`,
      open: (budget) => unzip(entry, budget),
      depth: depth + 1,
    }));
}

function noting(open: Opener): Opener {
  return (budget, warnings) => {
    warnings.add('archive-in-archive');
    return open(budget, warnings);
  };
}

/** Reads a whole file of at most `limit` bytes; `what` is the subject of the refusal's sentence. */
export async function collect(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
  what: string,
): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > limit) throw tooLarge(`${what} is larger than ${inMegabytes(limit)}`);
    held.push(chunk);
  }
  return held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held, length);
}

async function firstChunk(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  for await (const chunk of chunks) return chunk;
  return new Uint8Array();
}

const SLICE_BYTES = 65_536;

function* slices(bytes: Uint8Array, budget: UnpackBudget): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    budget.checkTime();
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}

/** Detects the format by the first character after a byte order mark and white space. */
function kindOf(head: Uint8Array): DocumentKind {
  let at = 0;
  while (isBlank(head[at])) at++;
  if (head[at] === 0x3c) return 'xml';
  return head[at] === 0x7b ? 'json' : 'other';
}

/** White space, bytes of byte order marks, and the zero bytes of UTF-16. */
function isBlank(byte: number | undefined): boolean {
  return byte !== undefined && [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x00].includes(byte);
}
