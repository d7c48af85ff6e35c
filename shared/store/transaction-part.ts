/** Writes in the transaction that stores something else, so that either everything is stored or nothing. */
import type { Found, Read } from './items.ts';
import type { Write } from './table.ts';

export interface TransactionPart {
  /** What the writes depend on; read with what they go with. */
  readonly reads: readonly Read<unknown>[];
  /**
   * The writes. Their conditions must fail if what they depend on changed: then it is read again, and the writes are
   * made again.
   */
  writes(found: Found): readonly Write[];
}

/** All writes of several callers. Their reads must have different keys. */
export const combine = (parts: readonly TransactionPart[]): TransactionPart => ({
  reads: parts.flatMap(({ reads }) => reads),
  writes: (found) => parts.flatMap((part) => part.writes(found)),
});
