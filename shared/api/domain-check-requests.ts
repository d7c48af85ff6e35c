/** Requests for a check of any domain, apart from its response, which the home page does not need. */
import * as z from 'zod/mini';
import { usageType } from '../checks/state.ts';
import { described, withKeywords } from '../protocol/schema.ts';
import { NAME } from './spf-check-requests.ts';

const domain = withKeywords(
  described(
    z
      .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
      .check(z.maxLength(1000, 'is too long')),
    'The domain to check. For a URL or an email address, its domain is used',
    'example.org',
  ),
  { minLength: 1, pattern: NAME },
);

export const domainCheckBody = z.object(
  {
    domain,
    usageType: z._default(usageType, 'sends-and-receives'),
    save: described(
      z._default(z.boolean('must be true or false'), false),
      'Whether to save the result permanently under a public link',
      false,
    ),
  },
  'must be a JSON object',
);

export type DomainCheckBody = z.output<typeof domainCheckBody>;

/** The query of the page; without a domain, the page shows the empty form. */
export const domainCheckQuery = z.object({
  domain: z.optional(domain),
  usageType: z._default(usageType, 'sends-and-receives'),
  wait: described(
    z.optional(z.literal('1', 'must be 1')),
    'Waits for the result, instead of showing a page that does so',
  ),
});

export const saveDomainForm = z.object({ domain, usageType: z._default(usageType, 'sends-and-receives') });
