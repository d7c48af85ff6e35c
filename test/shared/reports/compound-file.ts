/** Compound files ([MS-CFB]) for tests, valid and invalid. */

/** The content of a storage, by name. Streams are bytes. */
export interface Tree {
  readonly [name: string]: Uint8Array | Tree;
}

export interface CompoundOptions {
  readonly version?: 3 | 4;
  /** Number of unused sectors in front of all others, to make the file larger. */
  readonly freeSectors?: number;
  /** Whether each entry has the next one as its right sibling, instead of a balanced tree. */
  readonly inLine?: boolean;
}

export const END_OF_CHAIN = 0xffff_fffe;
const NO_ENTRY = 0xffff_ffff;
const FREE = 0xffff_ffff;
const FAT_SECTOR = 0xffff_fffd;
const PLACES_SECTOR = 0xffff_fffc;
const HEADER_PLACES = 109;
const MINI = 64;
const CUTOFF = 4096;

interface Entry {
  readonly name: string;
  readonly type: number;
  left: number;
  right: number;
  child: number;
  first: number;
  size: number;
}

export function compoundFile(
  tree: Tree,
  { version = 3, freeSectors = 0, inLine = false }: CompoundOptions = {},
): Buffer {
  const sectorBytes = version === 3 ? 512 : 4096;
  const sectors: Buffer[] = Array.from({ length: freeSectors }, () => Buffer.alloc(sectorBytes));
  const fat: number[] = Array(freeSectors).fill(FREE);
  const miniParts: Buffer[] = [];
  const miniFat: number[] = [];
  const entries: Entry[] = [entryOf('Root Entry', 5)];

  /** Writes bytes into consecutive sectors. Returns the index of the first sector. */
  function put(bytes: Buffer): number {
    const count = Math.ceil(bytes.length / sectorBytes);
    const first = sectors.length;
    for (let index = 0; index < count; index++) {
      const sector = Buffer.alloc(sectorBytes);
      bytes.copy(sector, 0, index * sectorBytes, (index + 1) * sectorBytes);
      sectors.push(sector);
      fat.push(index === count - 1 ? END_OF_CHAIN : first + index + 1);
    }
    return count === 0 ? END_OF_CHAIN : first;
  }

  function putMini(bytes: Buffer): number {
    const count = Math.ceil(bytes.length / MINI);
    const first = miniFat.length;
    for (let index = 0; index < count; index++) {
      miniFat.push(index === count - 1 ? END_OF_CHAIN : first + index + 1);
    }
    miniParts.push(bytes, Buffer.alloc(count * MINI - bytes.length));
    return count === 0 ? END_OF_CHAIN : first;
  }

  /** Adds the content of a storage as a tree of siblings. Returns the index of its root. */
  function add(inside: Tree): number {
    const names = Object.keys(inside).sort(
      (a, b) => a.length - b.length || (a.toUpperCase() < b.toUpperCase() ? -1 : 1),
    );
    const indices = names.map((name) => {
      const content = inside[name] ?? {};
      const isStream = content instanceof Uint8Array;
      const entry = entryOf(name, isStream ? 2 : 1);
      entries.push(entry);
      const index = entries.length - 1;
      if (isStream) {
        entry.size = content.length;
        entry.first = content.length < CUTOFF ? putMini(Buffer.from(content)) : put(Buffer.from(content));
      } else entry.child = add(content);
      return index;
    });
    return inLine ? line(indices) : balanced(indices);
  }

  function line(indices: readonly number[]): number {
    for (const [at, index] of indices.entries()) {
      const entry = entries[index];
      if (entry !== undefined) entry.right = indices[at + 1] ?? NO_ENTRY;
    }
    return indices[0] ?? NO_ENTRY;
  }

  function balanced(indices: readonly number[]): number {
    if (indices.length === 0) return NO_ENTRY;
    const middle = indices.length >> 1;
    const top = indices[middle] ?? NO_ENTRY;
    const entry = entries[top];
    if (entry !== undefined) {
      entry.left = balanced(indices.slice(0, middle));
      entry.right = balanced(indices.slice(middle + 1));
    }
    return top;
  }

  const [root] = entries;
  if (root === undefined) throw new Error('no root');
  root.child = add(tree);
  const mini = Buffer.concat(miniParts);
  root.size = mini.length;
  root.first = put(mini);
  const firstMiniFat = put(numbers(miniFat, sectorBytes, FREE));
  const miniFatSectors = Math.ceil((miniFat.length * 4) / sectorBytes);
  const firstDirectory = put(directoryOf(entries, sectorBytes));

  // The FAT also has entries for its own sectors, and for the sectors that list them.
  const perSector = sectorBytes / 4;
  const dataSectors = sectors.length;
  let fatSectors = 0;
  let lists = 0;
  for (;;) {
    const needed = Math.ceil((dataSectors + fatSectors + lists) / perSector);
    const neededLists = Math.max(0, Math.ceil((needed - HEADER_PLACES) / (perSector - 1)));
    if (needed === fatSectors && neededLists === lists) break;
    [fatSectors, lists] = [needed, neededLists];
  }
  const fatAt = Array.from({ length: fatSectors }, (_, index) => dataSectors + index);
  const listsAt = Array.from({ length: lists }, (_, index) => dataSectors + fatSectors + index);
  fat.push(...fatAt.map(() => FAT_SECTOR), ...listsAt.map(() => PLACES_SECTOR));
  const table = numbers(fat, sectorBytes, FREE);
  const further = listsAt.map((_, index) => {
    const begin = HEADER_PLACES + index * (perSector - 1);
    const places = fatAt.slice(begin, begin + perSector - 1);
    while (places.length < perSector - 1) places.push(FREE);
    return numbers([...places, listsAt[index + 1] ?? END_OF_CHAIN], sectorBytes, FREE);
  });

  const header = Buffer.alloc(sectorBytes);
  header.write('d0cf11e0a1b11ae1', 'hex');
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(version, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(version === 3 ? 9 : 12, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(version === 3 ? 0 : Math.ceil((entries.length * ENTRY_BYTES) / sectorBytes), 40);
  header.writeUInt32LE(fatSectors, 44);
  header.writeUInt32LE(firstDirectory, 48);
  header.writeUInt32LE(CUTOFF, 56);
  header.writeUInt32LE(firstMiniFat, 60);
  header.writeUInt32LE(miniFatSectors, 64);
  header.writeUInt32LE(listsAt[0] ?? END_OF_CHAIN, 68);
  header.writeUInt32LE(lists, 72);
  for (let index = 0; index < HEADER_PLACES; index++) {
    header.writeUInt32LE(fatAt[index] ?? FREE, 76 + index * 4);
  }
  return Buffer.concat([header, ...sectors, table, ...further]);
}

const entryOf = (name: string, type: number): Entry => ({
  name,
  type,
  left: NO_ENTRY,
  right: NO_ENTRY,
  child: NO_ENTRY,
  first: type === 1 ? 0 : END_OF_CHAIN,
  size: 0,
});

const ENTRY_BYTES = 128;

function directoryOf(entries: readonly Entry[], sectorBytes: number): Buffer {
  const length = Math.ceil((entries.length * ENTRY_BYTES) / sectorBytes) * sectorBytes;
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += ENTRY_BYTES) {
    const entry = entries[at / ENTRY_BYTES];
    for (const offset of [68, 72, 76]) bytes.writeUInt32LE(NO_ENTRY, at + offset);
    if (entry === undefined) continue;
    const name = Buffer.from(`${entry.name}\0`, 'utf16le');
    name.copy(bytes, at);
    bytes.writeUInt16LE(name.length, at + 64);
    bytes.writeUInt8(entry.type, at + 66);
    bytes.writeUInt8(1, at + 67);
    bytes.writeUInt32LE(entry.left, at + 68);
    bytes.writeUInt32LE(entry.right, at + 72);
    bytes.writeUInt32LE(entry.child, at + 76);
    bytes.writeUInt32LE(entry.first, at + 116);
    bytes.writeUInt32LE(entry.size, at + 120);
  }
  return bytes;
}

/** Writes numbers into whole sectors, padded with `filler`. */
function numbers(values: readonly number[], sectorBytes: number, filler: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil((values.length * 4) / sectorBytes) * sectorBytes);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(values[at / 4] ?? filler, at);
  return bytes;
}
