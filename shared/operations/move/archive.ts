/** What an archive of organizations contains, whatever it is stored in. */
import { createHash } from 'node:crypto';
import type { Key, Range } from '../../store/keys.ts';

export interface About {
  readonly id: string;
  /** The layout of the table. */
  readonly layout: number;
  /** The version of the service that wrote it. */
  readonly version: string;
  readonly createdAt: string;
  /** The IDs of the organizations, with spaces between them. */
  readonly organizations: string;
  /** 1 if secrets are in it, otherwise 0. */
  readonly hasSecrets: number;
  /** 1 if it was written to its end, otherwise 0. */
  readonly isComplete: number;
}

export interface ArchivedItem extends Key {
  /** When it gets to the other host: see `stepOf`. */
  readonly step: number;
  /** As `toPortable` wrote it. */
  readonly item: string;
}

/** What a range contains: how many items, and the SHA-256 of their texts in the order of their keys, each with a line end. */
export interface Sum extends Range {
  readonly items: number;
  readonly sha256: string;
}

export interface ArchivedMail {
  readonly key: string;
  readonly content: Uint8Array;
}

interface Counts {
  readonly items: number;
  readonly ranges: number;
  readonly mails: number;
}

/** An archive that is complete. */
export interface ReadableArchive {
  readonly about: About;
  /** How many of each there are. */
  readonly counts: () => Counts;
  readonly ranges: () => Iterable<Sum>;
  readonly itemsIn: (range: Range) => Iterable<ArchivedItem>;
  /** Items on which nothing acts, after a key. */
  readonly idleAfter: (key: Key) => Iterable<ArchivedItem>;
  /** The others, in the order in which they are to be written. */
  readonly acting: () => Iterable<ArchivedItem>;
  /** Whether it has an item on which nothing acts. */
  readonly hasIdle: (key: Key) => boolean;
  readonly mailsAfter: (key: string) => Iterable<ArchivedMail>;
  /** What is not as its sum says. */
  readonly damaged: () => Iterable<string>;
}

/** An archive that is written, or of which a part is. */
export interface WritableArchive extends ReadableArchive {
  readonly hasRange: (range: Range) => boolean;
  /** Adds the items of a range, which are in the order of their keys, with their sum. */
  readonly addRange: (range: Range, items: AsyncIterable<ArchivedItem>) => Promise<void>;
  readonly hasMail: (key: string) => boolean;
  readonly addMail: (key: string, content: Uint8Array) => void;
  /** Marks it as complete. */
  readonly finish: () => void;
  readonly close: () => void;
}

/** Counts and sums the items of a range. */
export class Summing {
  readonly #hash = createHash('sha256');
  #items = 0;

  add(item: string): void {
    this.#hash.update(`${item}\n`);
    this.#items += 1;
  }

  end(): Pick<Sum, 'items' | 'sha256'> {
    return { items: this.#items, sha256: this.#hash.digest('hex') };
  }
}
