/** What lookups of the verification record of a verified domain found, stored in the domain item. */

import { silentClosing } from '../attention-changes.ts';
import { having } from '../changes.ts';
import { PRESENT } from '../items.ts';
import type { Table, Write } from '../table.ts';
import { type Domain, type MissingProof, type Ownership, provenAt } from './domain.ts';
import { updateOf } from './writes.ts';

/** A domain that was verified. */
type OwnedDomain = Domain & { readonly ownership: Ownership };

export type OwnershipStore = ReturnType<typeof ownershipStore>;

export function ownershipStore(table: Table) {
  return {
    /**
     * Stores that the record was found. Returns false if the domain is gone.
     * @param closing The writes that close the attention item; undefined if it was not open when `domain` was read.
     */
    async prove(domain: Domain, now: Date, closing?: readonly Write[]): Promise<boolean> {
      const found: Write = { Update: updateOf(domain, { ownership: provenAt(now) }, PRESENT) };
      if (closing !== undefined) {
        const failed = await table.tryTransact([found, ...closing]);
        if (failed.size === 0 || failed.has(0)) return failed.size === 0;
      }
      // It can have been opened or closed since.
      const failed = await table.tryTransact([found, silentClosing(domain.id, 'ownership-unproven')]);
      return failed.size === 0;
    },

    /**
     * Stores that the record is missing, unless the ownership changed since `domain` was read or the domain is gone.
     * @param further The writes of the attention item and of notices, if the ownership is unproven from now on.
     */
    async miss(domain: OwnedDomain, missing: MissingProof, further: readonly Write[]): Promise<void> {
      const ownership: Ownership = { ...domain.ownership, missing };
      const Update = updateOf(domain, { ownership }, having({ ownership: domain.ownership }));
      await table.tryTransact([{ Update }, ...further]);
    },
  };
}
