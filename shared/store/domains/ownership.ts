/** What lookups of the verification record of a verified domain found, stored in the domain item. */
import { attentionClosing, attentionOpening } from '../attention.ts';
import { type Condition, PRESENT } from '../items.ts';
import type { Table, Write } from '../table.ts';
import { type Domain, type MissingProof, type Ownership, provenAt } from './domain.ts';
import { updateOf } from './writes.ts';

export type OwnershipStore = ReturnType<typeof ownershipStore>;

export function ownershipStore(table: Table) {
  return {
    /** Stores that the record was found. Returns false if the domain is gone. */
    async prove(domain: Domain, now: Date): Promise<boolean> {
      const failed = await table.tryTransact([
        { Update: updateOf(domain, { ownership: provenAt(now) }, PRESENT) },
        attentionClosing(domain.id, 'ownership-unproven'),
      ]);
      return failed.size === 0;
    },

    /**
     * Stores that the record is missing, unless the ownership changed since `domain` was read or the domain is gone.
     * @param notices The notices that the ownership is unproven; undefined if it is not, or if they were sent before.
     */
    async miss(domain: Domain, missing: MissingProof, notices?: readonly Write[]): Promise<void> {
      const ownership: Ownership = { provenAt: domain.ownership?.provenAt ?? null, missing };
      await table.tryTransact([
        { Update: updateOf(domain, { ownership }, unchangedOwnership(domain)) },
        ...(notices === undefined ? [] : [attentionOpening(domain, 'ownership-unproven', missing.since)]),
        ...(notices ?? []),
      ]);
    },
  };
}

function unchangedOwnership({ ownership }: Domain): Condition {
  return ownership === undefined
    ? { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(ownership)' }
    : { ConditionExpression: 'ownership = :known', ExpressionAttributeValues: { ':known': ownership } };
}
