/** Requests for a check of any domain, apart from its response, which the home page does not need. */
import * as z from 'zod/mini';
import { usageType } from '../checks/state.ts';
import { described, withKeywords } from '../protocol/schema.ts';
import { namePattern } from './spf-check-requests.ts';

const domain = withKeywords(
  described(
    z
      .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
      .check(z.maxLength(1000, 'is too long')),
    'The domain to check. For a URL or an email address, its domain is used',
    'example.org',
  ),
  { minLength: 1, pattern: namePattern('A-Za-z0-9') },
);

export const domainCheckBody = z.object(
  {
    domain,
    usageType: z._default(usageType, 'sends-and-receives'),
    save: described(
      z._default(z.boolean('must be true or false'), false),
      'Whether to save the result under a public link, which works until nobody has opened it for 400 days',
      false,
    ),
  },
  'must be a JSON object',
);

export type DomainCheckBody = z.output<typeof domainCheckBody>;

/** The query of the home page; without a domain, it shows the empty form. Links to the SPF checker have no usage type. */
export const homeQuery = z.object({ domain: z.optional(domain), usageType: z.optional(usageType) });

/** The query of the page with the result, and the form that saves it. */
export const domainCheckForm = z.object({
  domain,
  usageType: z._default(usageType, 'sends-and-receives'),
});
