/**
 * ZIP files (PKWARE APPNOTE 6.3.10, as restricted by ISO/IEC 21320-1: stored or deflated, not split, not encrypted), read
 * by central directory. Ambiguous files are rejected: entries that overlap each other or the directory, or whose local
 * header differs.
 */
import { crc32 } from 'node:zlib';
import type { UnpackBudget } from '../budget.ts';
import { MAX_ZIP_ENTRIES } from '../limits.ts';
import { tooLarge, unreadable } from '../refusal.ts';
import type { Warnings } from '../warnings.ts';
import { inflate } from './inflate.ts';

interface ZipEntry {
  /** As stored, including folders; never used as a path. */
  readonly name: string;
  readonly method: 'stored' | 'deflated';
  readonly size: number;
  readonly crc: number;
  /** The compressed bytes. */
  readonly data: Uint8Array;
}

const END_OF_DIRECTORY = 0x0605_4b50;
const ZIP64_LOCATOR = 0x0706_4b50;
const DIRECTORY_ENTRY = 0x0201_4b50;
const LOCAL_HEADER = 0x0403_4b50;
const SIZE = { end: 22, locator: 20, entry: 46, local: 30 } as const;
const MAX_COMMENT = 0xffff;
/** Values that mean "see the ZIP64 record". */
const ZIP64 = { short: 0xffff, long: 0xffff_ffff } as const;
/** Flag bits 0 (encrypted), 6 (strong encryption), and 13 (masked headers). */
const ENCRYPTED = 0x2041;
const STORED = 0;
const DEFLATED = 8;

export function isZip(bytes: Uint8Array): boolean {
  return (
    bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5) && bytes[3] === bytes[2] + 1
  );
}

/** The files of an archive in directory order, without folders. Throws a refusal. */
export function readZip(bytes: Uint8Array, warnings: Warnings): readonly ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { count, start, end } = findDirectory(view, warnings);
  const entries: ZipEntry[] = [];
  const spans: [from: number, to: number][] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + SIZE.entry > end || view.getUint32(at, true) !== DIRECTORY_ENTRY) throw damaged();
    const nameEnd = at + SIZE.entry + view.getUint16(at + 28, true);
    const next = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw damaged();
    const name = Buffer.from(bytes.subarray(at + SIZE.entry, nameEnd)).toString('utf8');
    const { entry, span } = readEntry(bytes, view, at, name);
    if (span[1] > start) throw unreadable('an entry of the zip file overlaps its directory');
    spans.push(span);
    if (!name.endsWith('/')) entries.push(entry);
    at = next;
  }
  spans.sort(([a], [b]) => a - b);
  if (spans.some(([from], index) => from < (spans[index - 1]?.[1] ?? 0))) {
    throw unreadable('entries of the zip file overlap');
  }
  return entries;
}

/** Decompresses one entry. Throws a refusal if it is corrupt. */
export async function* unzip(entry: ZipEntry, budget: UnpackBudget): AsyncGenerator<Uint8Array> {
  const { length, crc } = yield* entry.method === 'stored'
    ? copy(entry.data, budget)
    : inflate(entry.data, budget);
  if (length !== entry.size || crc !== entry.crc) {
    throw unreadable('the zip file is corrupt: the checksum of an entry does not match');
  }
}

async function* copy(data: Uint8Array, budget: UnpackBudget) {
  budget.spend(data.length);
  yield data;
  return { length: data.length, crc: crc32(data) };
}

function findDirectory(view: DataView, warnings: Warnings): { count: number; start: number; end: number } {
  const last = view.byteLength - SIZE.end;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
    if (view.getUint32(at, true) !== END_OF_DIRECTORY) continue;
    const fileEnd = at + SIZE.end + view.getUint16(at + 20, true);
    if (fileEnd > view.byteLength) continue;
    if (fileEnd < view.byteLength) {
      warnings.add('trailing-bytes', undefined, `${view.byteLength - fileEnd} bytes`);
    }
    const count = view.getUint16(at + 10, true);
    const length = view.getUint32(at + 12, true);
    const start = view.getUint32(at + 16, true);
    const hasLocator = at >= SIZE.locator && view.getUint32(at - SIZE.locator, true) === ZIP64_LOCATOR;
    if (hasLocator || count === ZIP64.short || length === ZIP64.long || start === ZIP64.long) {
      throw unreadable('the zip file uses the ZIP64 format, which is not supported');
    }
    if (view.getUint16(at + 8, true) !== count || view.getUint32(at + 4, true) !== 0) {
      throw unreadable('the zip file is one part of a multi-part archive');
    }
    if (count > MAX_ZIP_ENTRIES) throw tooLarge(`the zip file has more than ${MAX_ZIP_ENTRIES} entries`);
    if (start + length !== at) throw damaged();
    return { count, start, end: at };
  }
  throw unreadable('the zip file is truncated: it has no directory');
}

function readEntry(bytes: Uint8Array, view: DataView, at: number, name: string) {
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const packedSize = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const local = view.getUint32(at + 42, true);
  if (packedSize === ZIP64.long || size === ZIP64.long || local === ZIP64.long) {
    throw unreadable('the zip file uses the ZIP64 format, which is not supported');
  }
  if (flags & ENCRYPTED) throw unreadable('the zip file is encrypted');
  if (method !== STORED && method !== DEFLATED)
    throw unreadable('the zip file uses an unsupported compression method');
  if (method === STORED && packedSize !== size) throw damaged();
  if (local + SIZE.local > view.byteLength || view.getUint32(local, true) !== LOCAL_HEADER) throw damaged();
  if (view.getUint16(local + 8, true) !== method) throw damaged();
  const start = local + SIZE.local + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const end = start + packedSize;
  const entry: ZipEntry = {
    name,
    method: method === STORED ? 'stored' : 'deflated',
    size,
    crc: view.getUint32(at + 16, true),
    data: bytes.subarray(start, end),
  };
  return { entry, span: [local, end] as [number, number] };
}

const damaged = () => unreadable('the zip file is corrupt');
