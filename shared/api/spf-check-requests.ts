/** Requests for an SPF check, apart from its responses, which the home page does not need. */
import * as z from 'zod/mini';
import { described, withKeywords } from '../protocol/schema.ts';
import { jsonObject } from './json-object.ts';

/**
 * A name whose labels start and end with `edge` characters, in a URL, or in an email address. Pasted text with other characters
 * around it is also accepted.
 */
export const namePattern = (edge: string): string =>
  `^([a-z]{2,10}://|[A-Za-z0-9._%+-]+@)?([${edge}]([${edge}-]{0,61}[${edge}])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(:[0-9]{1,5})?([/?#][\\s\\S]*)?$`;

/** The name to check. @param edge Characters that its labels start and end with. */
export const checkedName = (description: string, edge: string) =>
  withKeywords(
    described(
      z
        .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
        .check(z.maxLength(1000, 'is too long')),
      `${description}. For a URL or an email address, its domain is used`,
      'example.org',
    ),
    { minLength: 1, pattern: namePattern(edge) },
  );

export const save = described(
  z._default(z.boolean('must be true or false'), false),
  'Whether to save the result under a public link, which works until nobody has opened it for 400 days',
  false,
);

const domain = checkedName(
  'Any name that can have an SPF record, such as example.org or _spf.example.org',
  'A-Za-z0-9_',
);

export const spfCheckBody = jsonObject({ domain, save });

/** The query of the page; without a domain, the page shows the empty form. */
export const spfCheckQuery = z.object({ domain: z.optional(domain) });

export const saveSpfForm = z.object({ domain });
