/** Which blocklists listed an address of a domain, as far as the last answers say, and when they were asked. */
import * as z from 'zod/mini';
import { itemOfDomain } from '../domains/item-of-domain.ts';
import { blocklistingsKey } from '../keys.ts';
import type { Table } from '../table.ts';

const listing = z.object({
  address: z.string(),
  /** The list, as it may be shown. */
  zone: z.string(),
  /** Since when; ISO 8601. */
  since: z.string(),
  /** Why, in the words of the list. */
  reason: z.nullable(z.string()),
  /** The last day (`2026-01-31`) on whose check run the address had sent in the week before. */
  sent: z.optional(z.string()),
});

export type StoredListing = Readonly<z.infer<typeof listing>>;

const blocklistingsItem = z.object({ askedAt: z.string(), listings: z.readonly(z.array(listing)) });

export type Blocklistings = Readonly<z.infer<typeof blocklistingsItem>>;

export type BlocklistingStore = ReturnType<typeof blocklistingStore>;

export const blocklistingStore = (table: Table) => itemOfDomain(table, blocklistingsKey, blocklistingsItem);
