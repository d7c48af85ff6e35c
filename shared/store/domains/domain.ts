/** A registered domain. */

import * as z from 'zod/mini';
import { byCheck, checkState, usageTypes } from '../../checks/state.ts';
import { listed, scoreChange } from './listed.ts';

/** Since when lookups have not found the verification record. */
const missing = z.object({
  /** When a lookup first found that it is missing. */
  since: z.string(),
  /** When that was counted last. */
  countedAt: z.string(),
  /** For how long lookups have seen that it is missing, which a clock that jumps does not change. */
  seconds: z.number(),
  /** Whether the owner was notified. */
  isUnproven: z.boolean(),
});

export type MissingProof = Readonly<z.infer<typeof missing>>;

const ownership = z.object({
  /** When a lookup last found the verification record. */
  provenAt: z.string(),
  missing: z.nullable(missing),
});

export type Ownership = Readonly<z.infer<typeof ownership>>;

/** The ownership that a lookup proved. */
export const provenAt = (now: Date): Ownership => ({ provenAt: now.toISOString(), missing: null });

export const domainItem = z.object({
  id: z.string(),
  organization: z.string(),
  domain: z.string(),
  verified: z.boolean(),
  verificationToken: z.string(),
  /** The proof of ownership of a verified domain; absent while it is not verified. */
  ownership: z.optional(ownership),
  usageType: z.enum(usageTypes),
  testEmailLocalPart: z.nullable(z.string()),
  /** DKIM selectors that the owner named. */
  dkimSelectors: z.array(z.string()),
  /** Local part of the report mailbox. Random, so that nobody can guess where to send forged reports. */
  mailbox: z.string(),
  /** Labels of the owner. */
  tags: z.array(z.string()),
  lastCheckedAt: z.nullable(z.string()),
  /** The scores of the latest check run; absent before the first. */
  scores: z.optional(z.nullable(z.partialRecord(z.enum(usageTypes), z.nullable(z.number())))),
  /** The states of the latest check run, for lists; absent before the first. */
  states: z.optional(byCheck(checkState)),
  /** What else lists show of the latest check run; absent before the first one of a release that stores it. */
  listed: z.optional(listed),
  /** The latest changes of the score for the usage type at that time, oldest first. */
  scoreChanges: z.optional(z.array(scoreChange)),
  /** The token of the public badge; absent while the badge is off. */
  badgeToken: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export type Domain = Readonly<z.infer<typeof domainItem>>;

/** The fields that its owner sets. */
const owned = { usageType: true, testEmailLocalPart: true, dkimSelectors: true, tags: true } as const;

export type OwnedField = keyof typeof owned;

const ownedPart = z.pick(domainItem, owned);

export const ownedOf = (domain: Domain): Pick<Domain, OwnedField> => z.parse(ownedPart, domain);

/** A change by the owner: `undefined` keeps a field, and `null` removes an optional one. */
export type OwnerChange = {
  readonly [N in OwnedField]?: Domain[N] | undefined | (undefined extends Domain[N] ? null : never);
};

/** The fields that a change sets, and as `undefined` those that it removes. */
export function patchOf(change: Readonly<Record<string, unknown>>): Partial<Domain> {
  const { shape }: { readonly shape: Readonly<Record<string, z.ZodMiniType>> } = domainItem;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      value === null && shape[name]?.def.type === 'optional' ? undefined : value,
    ]),
  );
}

/** Whether a domain is verified and its verification record was there when it was looked up last. */
export const isProven = ({ verified, ownership }: Domain): boolean => verified && !ownership?.missing;

/** What other items need to know about their domain. */
export const domainReference = z.pick(domainItem, { id: true, organization: true, domain: true });

export type DomainReference = Readonly<z.infer<typeof domainReference>>;
