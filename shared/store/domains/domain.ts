/** A registered domain. */

import * as z from 'zod/mini';
import { checkName, checkState, usageTypes } from '../../checks/state.ts';

export const domainItem = z.object({
  id: z.string(),
  organization: z.string(),
  domain: z.string(),
  verified: z.boolean(),
  verificationToken: z.string(),
  usageType: z.enum(usageTypes),
  testEmailLocalPart: z.nullable(z.string()),
  /** DKIM selectors that the owner named. */
  dkimSelectors: z._default(z.array(z.string()), []),
  /** Local part of the report mailbox. Random, so that nobody can guess where to send forged reports. */
  mailbox: z.string(),
  /** Labels of the owner. */
  tags: z._default(z.array(z.string()), []),
  lastCheckedAt: z.nullable(z.string()),
  /** The scores of the latest check run; absent before the first. */
  scores: z.optional(z.nullable(z.partialRecord(z.enum(usageTypes), z.nullable(z.number())))),
  /** The states of the latest check run, for lists; absent before the first, and before that of this release. */
  states: z.optional(z.record(checkName, checkState)),
  /** The token of the public badge; absent while the badge is off. */
  badgeToken: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export type Domain = Readonly<z.infer<typeof domainItem>>;

/** What other items need to know about their domain. */
export const domainReference = z.pick(domainItem, { id: true, organization: true, domain: true });

export type DomainReference = Readonly<z.infer<typeof domainReference>>;
