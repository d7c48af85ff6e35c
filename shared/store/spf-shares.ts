/** Shared results of the SPF checker. */

import * as z from 'zod/mini';
import { expansion } from '../protocol/spf/expansion.ts';
import { pack, packed } from './item-schema.ts';
import { spfShareKey } from './keys.ts';
import { shareStore } from './shares.ts';
import type { Table } from './table.ts';

/** The expanded SPF record of a domain at one time (ISO 8601, UTC). */
const shareItem = z.pipe(
  z.object({ checkedAt: z.string(), result: packed(expansion) }),
  z.transform(({ checkedAt, result }) => ({ checkedAt, expansion: result })),
);

export type SpfCheck = Readonly<z.infer<typeof shareItem>>;

export const spfShareStore = (table: Table) =>
  shareStore<SpfCheck>(table, {
    keyOf: spfShareKey,
    schema: shareItem,
    write: ({ checkedAt, expansion }) => ({ checkedAt, result: pack(expansion) }),
    // Results of a day (UTC) that differ only in their time are one, with the time of the first.
    identity: ({ checkedAt, expansion }) => ['spf', checkedAt.slice(0, 10), JSON.stringify(expansion)],
  });
