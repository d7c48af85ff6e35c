/** From an attachment to the documents in it: told apart by their bytes, since names and types are often wrong. */
import { excerpt } from '../protocol/findings/excerpt.ts';
import { gunzip, isGzip } from './archive/gzip.ts';
import { isZip, readZip, unzip } from './archive/zip.ts';
import { inMegabytes, type UnpackBudget } from './budget.ts';
import { MAX_ARCHIVE_DEPTH, MAX_COMPRESSED_BYTES, MAX_ZIP_ENTRIES_USED } from './limits.ts';
import { isCompoundFile } from './outlook/compound-file.ts';
import { isTnef } from './outlook/tnef.ts';
import { RefusalError, tooLarge } from './refusal.ts';
import type { Refusal } from './report.ts';
import type { Warnings } from './warnings.ts';

export type DocumentKind = 'xml' | 'json' | 'outlook' | 'other';

export interface Document {
  readonly outcome: 'document';
  /** Names from the outside in, joined by "/". */
  readonly source: string;
  readonly kind: DocumentKind;
  /** Whether it comes out of an archive. */
  readonly isPacked: boolean;
  /** The bytes, from their beginning at each call. Throws a refusal where the archive around them is broken. */
  readonly open: Opener;
}

/** Files of an archive that were not looked at, since there are too many of them. */
export interface Leftover {
  readonly outcome: 'leftover';
  readonly source: string;
  readonly detail: string;
}

export type Opener = (
  budget: UnpackBudget,
  warnings: Warnings,
) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Characters of a file name that are shown. */
const MAX_NAME = 255;

interface Layer {
  readonly source: string;
  readonly open: Opener;
  /** How many archives are around it. */
  readonly depth: number;
}

/** Whether a file may hold a report at all, going by how it begins. */
export function mayHoldReport(bytes: Uint8Array): boolean {
  return isGzip(bytes) || isZip(bytes) || kindOf(bytes.subarray(0, SLICE_BYTES)) !== 'other';
}

/** What one attachment holds: documents, and a refusal for each part of it that cannot be unpacked. */
export async function* documents(
  name: string,
  bytes: Uint8Array,
  budget: UnpackBudget,
  warnings: Warnings,
): AsyncGenerator<Document | Leftover | Refusal> {
  const open: Opener = (reading) => slices(bytes, reading);
  yield* look({ source: excerpt(name, MAX_NAME), open, depth: 0 }, budget, warnings);
}

async function* look(
  layer: Layer,
  budget: UnpackBudget,
  warnings: Warnings,
): AsyncGenerator<Document | Leftover | Refusal> {
  const { source, open, depth } = layer;
  try {
    budget.startDocument();
    const head = await firstChunk(open(budget, warnings));
    const isArchive = isGzip(head) || isZip(head);
    if (!isArchive) {
      const kind = kindOf(head);
      const isPacked = depth > 0;
      yield { outcome: 'document', source, kind, isPacked, open: depth > 1 ? noting(open) : open };
      return;
    }
    if (depth === MAX_ARCHIVE_DEPTH) throw tooLarge('archives are packed into each other more than twice');
    const packed = await collect(open(budget, warnings), MAX_COMPRESSED_BYTES, 'packed it');
    const inside = isGzip(head) ? [member(layer, packed)] : entries(layer, packed, warnings);
    for (const inner of inside.slice(0, MAX_ZIP_ENTRIES_USED)) yield* look(inner, budget, warnings);
    if (inside.length > MAX_ZIP_ENTRIES_USED) {
      const detail = `it holds ${inside.length} files, of which ${MAX_ZIP_ENTRIES_USED} were read`;
      yield { outcome: 'leftover', source, detail };
    }
  } catch (refusal) {
    if (!(refusal instanceof RefusalError)) throw refusal;
    yield { outcome: refusal.reason, source, detail: refusal.message };
  }
}

function member({ source, depth }: Layer, packed: Uint8Array): Layer {
  return {
    source: source.replace(/\.(?:gz|gzip)$/i, ''),
    open: (budget, warnings) => gunzip(packed, budget, warnings),
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

/** Reads a whole file of at most `limit` bytes; `what` begins the sentence of the refusal. */
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

/** By the first character behind a byte order mark and white space. */
function kindOf(head: Uint8Array): DocumentKind {
  if (isCompoundFile(head) || isTnef(head)) return 'outlook';
  let at = 0;
  while (isBlank(head[at])) at++;
  if (head[at] === 0x3c) return 'xml';
  return head[at] === 0x7b ? 'json' : 'other';
}

/** White space, the bytes of byte order marks, and the zero bytes of UTF-16. */
function isBlank(byte: number | undefined): boolean {
  return byte !== undefined && [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x00].includes(byte);
}
