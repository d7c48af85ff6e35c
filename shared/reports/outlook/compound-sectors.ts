/** Sectors of a compound file, each of which is gone to once ([MS-CFB] sections 2.3 and 2.4). */
import { unreadable } from '../refusal.ts';

/** Values that stand for something are no sector of any file, and no entry of any directory. */
const END_OF_CHAIN = 0xffff_fffe;
export const NOTHING = 0xffff_ffff;

/** Sectors of one size, and the table that says which one follows which. */
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

  /** What a sector holds; the last one of a file may be cut short. */
  take(sector: number): Uint8Array {
    if (sector >= this.#taken.length) throw damaged('a chain of sectors leaves it');
    if (this.#taken[sector] !== 0) throw damaged('chains of sectors run in circles or meet');
    this.#taken[sector] = 1;
    return this.#bytes.subarray(sector * this.#size, (sector + 1) * this.#size);
  }

  /** The first `length` bytes of a chain; all of it where that is not given. */
  chain(first: number, length?: number): Uint8Array {
    const held: Uint8Array[] = [];
    let sector = first;
    for (let left = length ?? Number.POSITIVE_INFINITY; left > 0; left -= this.#size) {
      if (length === undefined && sector === END_OF_CHAIN) break;
      held.push(this.take(sector));
      sector = this.#after(sector);
    }
    const whole = Buffer.concat(held);
    if (length !== undefined && whole.length < length) throw damaged('it is cut off');
    return whole.subarray(0, length);
  }

  #after(sector: number): number {
    const at = sector * 4;
    return at + 4 > this.#table.byteLength ? NOTHING : this.#table.getUint32(at, true);
  }
}

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const damaged = (how: string) => unreadable(`the compound file is damaged: ${how}`);
