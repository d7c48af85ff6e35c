/** The policy that a domain is ready for, assessed once a day when reports arrive. */
import * as z from 'zod/mini';
import { about } from '../../attention/kinds.ts';
import { policies } from '../../protocol/dmarc/record.ts';
import { having } from '../changes.ts';
import { itemOfDomain } from '../domains/item-of-domain.ts';
import { nextPolicyKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';

const nextPolicyItem = z.object({
  /** ISO 8601. */
  assessedAt: z.string(),
  /** What it was assessed on, apart from reports; equal only for equal decisions. */
  basis: z.string(),
  /** The DMARC record that was published then. */
  record: z.nullable(z.string()),
  /** Null if the domain was not ready for a stronger policy. */
  policy: z.nullable(z.enum(policies)),
  /** Whether approved mail had valid signatures of the domain. */
  signsAsDomain: z.boolean(),
  /** The selectors that mail was signed with. */
  usedSelectors: z.array(z.string()),
  /** Approved senders whose mail fails, and senders that need a decision. */
  failing: about,
  undecided: about,
});

export type NextPolicy = Readonly<z.infer<typeof nextPolicyItem>>;

/** The condition that an assessment is the stored one. */
export const isAssessedAt = (domainId: string, assessedAt: string): Write => ({
  ConditionCheck: { Key: nextPolicyKey(domainId), ...having({ assessedAt }) },
});

export type NextPolicyStore = ReturnType<typeof nextPolicyStore>;

export const nextPolicyStore = (table: Table) => itemOfDomain(table, nextPolicyKey, nextPolicyItem);
