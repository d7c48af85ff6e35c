/** The audit log of an organization: which token, or the operator, changed what, and when. */
import * as z from 'zod/mini';
import { roles } from '../protocol/scope.ts';
import { orNull } from './item-schema.ts';
import type { ItemStore } from './items.ts';
import { auditKey, auditPartition } from './keys.ts';
import { between, type Continuable, justBefore, type PageAfter } from './query.ts';
import { expiryOf } from './retention.ts';
import type { Table } from './table.ts';
import { newId } from './time-ids.ts';

/** A field of what was changed; null: it had no value, or has none. */
const change = z.object({ field: z.string(), before: orNull(z.string()), after: orNull(z.string()) });

export type Change = Readonly<z.infer<typeof change>>;

/**
 * `action` is the name of the operation, `token` the id of the token, null for the operator, `subject` the id of what was
 * changed, and `name` its name; the last two are null if it has none. `clientAddress` is the address of a request, null for
 * the operator. `actor` is the mail address of the person, or the name of the token, then, and `role` what they could do; both
 * are null for the operator, and in entries of releases before.
 */
export const auditItem = z.object({
  at: z.string(),
  action: z.string(),
  token: orNull(z.string()),
  subject: orNull(z.string()),
  name: orNull(z.string()),
  clientAddress: orNull(z.string()),
  actor: orNull(z.string()),
  role: orNull(z.enum(roles)),
  changes: z._default(z.array(change), []),
});

export type AuditEntry = Readonly<z.input<typeof auditItem>>;

/** An entry of the log, with the ID that it was stored under. */
const listedEntry = z.pipe(
  z.extend(auditItem, { sk: z.string() }),
  z.transform(({ sk, ...entry }) => ({ id: sk.slice(sk.indexOf('#') + 1), ...entry })),
);

export type ListedAuditEntry = Readonly<z.infer<typeof listedEntry>>;

/** From a time to before another one, in ISO form. */
interface AuditWindow {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Adds entries, which are kept for `retentionDays`; 0 keeps them forever. */
export async function recordAudit(
  table: Pick<ItemStore, 'put'>,
  organization: string,
  entries: readonly AuditEntry[],
  retentionDays: number,
): Promise<void> {
  await Promise.all(
    entries.map((entry) => {
      const expiresAt = expiryOf(entry.at.slice(0, 10), retentionDays);
      return table.put({
        ...auditKey(organization, entry.at, newId(new Date(entry.at))),
        ...entry,
        expiresAt,
      });
    }),
  );
}

export type AuditStore = ReturnType<typeof auditStore>;

export function auditStore(table: Pick<Table, 'page'>) {
  return {
    /** One page of the entries of a window, newest first. The position of an entry is its time and its ID. */
    async list(
      organization: string,
      { from = BEFORE_ALL_TIMES, until = AFTER_ALL_TIMES }: AuditWindow,
      page: PageAfter,
      now: Date,
    ): Promise<{ entries: readonly ListedAuditEntry[] } & Continuable> {
      // Keys continue after the time, so the upper limit itself is not in the window.
      const high = page.after === undefined ? until : justBefore(page.after);
      const query = { ...between(auditPartition(organization), from, high), ScanIndexForward: false };
      const { items, hasMore } = await table.page(query, listedEntry, { ...page, aliveAt: now });
      const oldest = items.at(-1);
      return { entries: items, hasMore, last: oldest && auditKey(organization, oldest.at, oldest.id).sk };
    },
  };
}

const BEFORE_ALL_TIMES = '0';
const AFTER_ALL_TIMES = '~';
