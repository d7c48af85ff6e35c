/** Requests about many domains at once. */
import * as z from 'zod/mini';
import { usageType } from '../checks/state.ts';
import { domainPath } from './common.ts';
import { newTag, tag } from './domain-fields.ts';
import { MAX_BATCH } from './domains.ts';

/** A form about all domains of a list goes on with those that were left, whose IDs it then contains. */
export const MOST_IN_FORM = 1000;

/** The domains that a request is about. */
export const manyDomains = z.object({
  ids: z
    .array(domainPath.shape.id)
    .check(z.minLength(1, 'must have at least one domain'), z.maxLength(MAX_BATCH)),
});

/** What is changed of each of them; a tag that a domain has, or lacks, stays as it is. */
export const manyDomainsChange = z.object({
  ...manyDomains.shape,
  addTag: z.optional(newTag),
  removeTag: z.optional(tag),
  usageType: z.optional(usageType),
});
