/** Writes in the transaction that stores something else, so that either everything is stored or nothing. */
import type { KeyedChange } from './changes.ts';
import type { Found, Read } from './items.ts';
import type { Table, Write } from './table.ts';

export interface TransactionPart {
  /** What the writes depend on; read with what they go with. */
  readonly reads: readonly Read<unknown>[];
  /**
   * Changes of items that exist, which are right whether the transaction succeeds or not. Before it, they cost half as many write
   * units as in it. They can be as old as the first read.
   */
  beforehand?(found: Found): readonly KeyedChange[];
  /**
   * The writes. Their conditions must fail if what they depend on changed: then it is read again, and the writes are
   * made again.
   */
  writes(found: Found): readonly Write[];
}

/** All writes of several callers. Their reads must have different keys. */
export const combine = (parts: readonly TransactionPart[]): TransactionPart => ({
  reads: parts.flatMap(({ reads }) => reads),
  beforehand: (found) => parts.flatMap((part) => part.beforehand?.(found) ?? []),
  writes: (found) => parts.flatMap((part) => part.writes(found)),
});

/** Makes the changes that come before the transaction. */
export async function changeBeforehand(
  table: Pick<Table, 'update'>,
  { beforehand }: TransactionPart,
  found: Found,
): Promise<void> {
  const changes = beforehand?.(found) ?? [];
  await Promise.all(changes.map(({ Key, ...change }) => table.update(Key, change)));
}
