/** The sectors of a compound file; each is visited at most once ([MS-CFB] sections 2.3 and 2.4). */
import { unreadable } from '../refusal.ts';

/** Special values, which are not the number of any sector or directory entry. */
const END_OF_CHAIN = 0xffff_fffe;
export const NOTHING = 0xffff_ffff;

/** Sectors of one size, and the table of their successors. */
export class Sectors {
  readonly #bytes: Uint8Array;
  readonly #size: number;
  readonly #table: DataView;
  readonly #taken: Uint8Array;

  constructor(bytes: Uint8Array, size: number, table: Uint8Array) {
    this.#bytes = bytes;
    this.#size = size;
    this.#table = viewOf(table);
    this.#taken = new Uint8Array(Math.ceil(bytes.length / size));
  }

  /** The content of a sector; the last one of a file can be shorter. */
  take(sector: number): Uint8Array {
    if (sector >= this.#taken.length) throw damaged('a sector chain points outside the file');
    if (this.#taken[sector] !== 0) throw damaged('sector chains form a loop or overlap');
    this.#taken[sector] = 1;
    return this.#bytes.subarray(sector * this.#size, (sector + 1) * this.#size);
  }

  /** The first `length` bytes of a chain; the whole chain without `length`. */
  chain(first: number, length?: number): Uint8Array {
    const held: Uint8Array[] = [];
    let sector = first;
    for (let left = length ?? Number.POSITIVE_INFINITY; left > 0; left -= this.#size) {
      if (length === undefined && sector === END_OF_CHAIN) break;
      held.push(this.take(sector));
      sector = this.#after(sector);
    }
    const whole = Buffer.concat(held);
    if (length !== undefined && whole.length < length) throw damaged('it is truncated');
    return whole.subarray(0, length);
  }

  #after(sector: number): number {
    const at = sector * 4;
    return at + 4 > this.#table.byteLength ? NOTHING : this.#table.getUint32(at, true);
  }
}

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const damaged = (how: string) => unreadable(`the compound file is corrupt: ${how}`);
