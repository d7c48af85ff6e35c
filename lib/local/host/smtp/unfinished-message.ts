/** The memory of a message from DATA until it is stored. */
import type { FairShare, Holder } from './fair-share.ts';

/**
 * Octets per allocation. Messages are copied into blocks, because the library emits some lines one by one, and an
 * object per line needs far more memory than its text.
 */
export const BLOCK = 64 * 1024;

export interface MessageMemory {
  /** Octets that are reserved for each message, in whole blocks. */
  readonly smallMessage: number;
  /** Octets that all messages share beyond that. */
  readonly shared: FairShare;
}

/** The content of a message while it is received and stored. */
export class UnfinishedMessage implements Holder {
  readonly client: string;
  readonly #memory: MessageMemory;
  #blocks: Buffer[] = [];
  #length = 0;
  #isDiscarded = false;
  #isPinned = false;

  constructor(client: string, memory: MessageMemory) {
    this.client = client;
    this.#memory = memory;
  }

  /** Whether the content was discarded. */
  get isDiscarded(): boolean {
    return this.#isDiscarded;
  }

  /** Whether the message is being stored. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  /** Adds a copy of `chunk`. Discards the content if there is no memory for it. */
  add(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isDiscarded) {
      const used = this.#length % BLOCK;
      if (used === 0 && !this.#grow()) {
        this.giveUp();
        return;
      }
      const part = rest.subarray(0, BLOCK - used);
      this.#blocks.at(-1)?.set(part, used);
      this.#length += part.length;
      rest = rest.subarray(part.length);
    }
  }

  /** Returns the complete content, in parts. Its memory counts until `end` is called, and cannot be taken away. */
  finish(): readonly Uint8Array[] {
    const parts = this.#blocks.map((block, at) => block.subarray(0, this.#length - at * BLOCK));
    this.#blocks = [];
    this.#isPinned = true;
    return parts;
  }

  /** Discards the content and releases its memory, unless the message is being stored. */
  giveUp(): void {
    if (this.#isPinned) return;
    this.#isDiscarded = true;
    this.#blocks = [];
    this.#memory.shared.release(this);
  }

  /** Releases the memory after the message is stored or has failed. */
  end(): void {
    this.#isPinned = false;
    this.giveUp();
  }

  #grow(): boolean {
    const isSmall = this.#length + BLOCK <= this.#memory.smallMessage;
    if (!isSmall && !this.#memory.shared.take(this, BLOCK)) return false;
    this.#blocks.push(Buffer.allocUnsafe(BLOCK));
    return true;
  }
}
