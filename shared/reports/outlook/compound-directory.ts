/** The directory of a compound file; each entry is visited at most once ([MS-CFB] section 2.6). */
import { damaged, NOTHING, viewOf } from './compound-sectors.ts';

const ENTRY_BYTES = 128;
/** Entry types. */
export const ENTRY = { storage: 1, stream: 2, root: 5 } as const;

export interface DirectoryEntry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  /** The root of the tree of entries in a storage. */
  readonly child: number;
  readonly firstSector: number;
  readonly size: number;
}

export class Directory {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #taken: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#taken = new Uint8Array(Math.floor(bytes.length / ENTRY_BYTES));
  }

  entry(index: number): DirectoryEntry {
    if (index >= this.#taken.length) throw damaged('a directory entry is missing');
    if (this.#taken[index] !== 0) throw damaged('directory entries form a loop or overlap');
    this.#taken[index] = 1;
    const at = index * ENTRY_BYTES;
    const number = (offset: number) => this.#view.getUint32(at + offset, true);
    const nameEnd = at + Math.min(this.#view.getUint16(at + 64, true), 64) - 2;
    const name = Buffer.from(this.#bytes.subarray(at, Math.max(at, nameEnd))).toString('utf16le');
    return {
      name: name.toLowerCase(),
      type: this.#view.getUint8(at + 66),
      left: number(68),
      right: number(72),
      child: number(76),
      firstSector: number(116),
      // The upper half is unused in version 3, and zero in version 4 for any file of acceptable size.
      size: number(120),
    };
  }

  /** The entries of a storage, which form a tree of siblings. */
  below(top: number): readonly DirectoryEntry[] {
    const found: DirectoryEntry[] = [];
    const names = new Set<string>();
    const waiting = [top];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (index === NOTHING) continue;
      const entry = this.entry(index);
      waiting.push(entry.left, entry.right);
      if (entry.type !== ENTRY.storage && entry.type !== ENTRY.stream) continue;
      if (names.has(entry.name)) throw damaged('two directory entries have the same name');
      names.add(entry.name);
      found.push(entry);
    }
    return found;
  }
}
