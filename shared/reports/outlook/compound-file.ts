/**
 * Compound files ([MS-CFB] versions 3 and 4): storages (folders) and streams (files) in one file, the format of Outlook
 * messages. Everything is a chain of sectors or an entry of the directory. Each sector and each entry is visited at most
 * once, whatever a hostile file contains, so the cost is bounded by the file size. Chains that loop, overlap, or point
 * outside the file are rejected.
 */
import { Directory, type DirectoryEntry, ENTRY } from './compound-directory.ts';
import { damaged, NOTHING, Sectors, viewOf } from './compound-sectors.ts';

/** A stream; its content is read on request, and only once. */
export interface Stream {
  readonly kind: 'stream';
  readonly read: () => Uint8Array;
}

/** A storage; its entries are listed on request, and only once. */
export interface Storage {
  readonly kind: 'storage';
  /** By lower-case name, because names are case-insensitive. */
  readonly list: () => ReadonlyMap<string, Stream | Storage>;
}

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const BYTE_ORDER = 0xfffe;
/** Section 2.2: a sector has 512 bytes in version 3, and 4,096 bytes in version 4. */
const sectorShifts: ReadonlyMap<number, number> = new Map([
  [3, 9],
  [4, 12],
]);
const MINI_SECTOR_SHIFT = 6;
/** Smaller streams are in the mini stream. */
const MINI_STREAM_CUTOFF = 4_096;

/** Whether a compound file starts here. */
export function isCompoundFile(bytes: Uint8Array): boolean {
  return SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));
}

/** Opens the root of a file. Throws a refusal if the file is corrupt, as reading its contents does. */
export function openCompoundFile(bytes: Uint8Array): Storage {
  const header = readHeader(bytes);
  const sectorBytes = 2 ** header.sectorShift;
  const body = bytes.subarray(sectorBytes);
  const places = new Sectors(body, sectorBytes, new Uint8Array());
  const table = Buffer.concat(fatPlaces(header, places).map((place) => places.take(place)));
  const sectors = new Sectors(body, sectorBytes, table);
  const directory = new Directory(sectors.chain(header.firstDirectorySector));
  const root = directory.entry(0);
  if (root.type !== ENTRY.root) throw damaged('its directory has no root entry');

  let mini: Sectors | undefined;
  const miniSectors = (): Sectors =>
    new Sectors(
      sectors.chain(root.firstSector, root.size),
      2 ** MINI_SECTOR_SHIFT,
      sectors.chain(header.firstMiniFatSector),
    );

  function storage(child: number): Storage {
    return { kind: 'storage', list: () => new Map(directory.below(child).map(opened)) };
  }

  function opened({ name, type, child, firstSector, size }: DirectoryEntry): [string, Stream | Storage] {
    if (type === ENTRY.storage) return [name, storage(child)];
    const read = (): Uint8Array => {
      if (size >= MINI_STREAM_CUTOFF) return sectors.chain(firstSector, size);
      if (size === 0) return new Uint8Array();
      mini ??= miniSectors();
      return mini.chain(firstSector, size);
    };
    return [name, { kind: 'stream', read }];
  }

  return storage(root.child);
}

/** Section 2.2. */
function readHeader(bytes: Uint8Array) {
  if (bytes.length < HEADER_BYTES) throw damaged('it is truncated');
  const view = viewOf(bytes);
  const sectorShift = view.getUint16(30, true);
  const isKnown =
    view.getUint16(28, true) === BYTE_ORDER &&
    sectorShifts.get(view.getUint16(26, true)) === sectorShift &&
    view.getUint16(32, true) === MINI_SECTOR_SHIFT &&
    view.getUint32(56, true) === MINI_STREAM_CUTOFF;
  if (!isKnown) throw damaged('its header has values that no version of the format defines');
  return {
    sectorShift,
    fatSectors: view.getUint32(44, true),
    firstDirectorySector: view.getUint32(48, true),
    firstMiniFatSector: view.getUint32(60, true),
    firstPlacesSector: view.getUint32(68, true),
    places: numbersOf(bytes.subarray(76, HEADER_BYTES)),
  };
}

/** The sectors of the FAT (section 2.5): the first ones are listed in the header, the others in a chain of lists. */
function fatPlaces(
  { places, fatSectors, firstPlacesSector }: ReturnType<typeof readHeader>,
  sectors: Sectors,
): readonly number[] {
  const found = [...places];
  for (let next = firstPlacesSector; found.length < fatSectors; ) {
    const list = numbersOf(sectors.take(next));
    next = list.pop() ?? NOTHING;
    found.push(...list);
  }
  return found.slice(0, fatSectors);
}

function numbersOf(bytes: Uint8Array): number[] {
  const view = viewOf(bytes);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => view.getUint32(index * 4, true));
}
