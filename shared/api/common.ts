/** Schemas shared by several endpoints. */
import * as z from 'zod/mini';
import { described, wholeNumberFrom } from '../protocol/schema.ts';

/** Messages for missing resources; malformed and unknown ids get the same message. */
export const missing = {
  domain: 'The domain does not exist.',
  alert: 'The alert does not exist.',
  attention: 'The attention item does not exist; its condition may have ended.',
  mail: 'The mail does not exist.',
  mailbox: 'The mailbox does not exist.',
  message: 'The message is no longer stored.',
  report: 'The report does not exist.',
  evidence:
    'Nothing is kept of that time: no check run had changed anything yet, or its evidence has expired.',
  page: 'The page does not exist.',
  change: 'The change is no longer recommended.',
  sender: 'No mail of this sender has been reported in the last 366 days.',
  delivery: 'The delivery does not exist, or is older than 30 days.',
  badge: 'The badge does not exist.',
  token: 'The token does not exist.',
  member: 'The member does not exist.',
  invitation: 'The invitation does not exist, or was used.',
  unsubscribe: 'The link is not complete, or digests go to another address by now.',
  test: 'The test does not exist or has expired.',
  spfResult: 'The saved result does not exist.',
  domainCheck: 'The saved check does not exist.',
  domainChecker: 'The domain checker is turned off.',
  securityTxt: 'SECURITY_CONTACT is not set.',
} as const;

const EXAMPLE_ID = '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11';

/** An id in upper or lower case (RFC 9562 section 4), converted to the stored lower case. */
export const idPath = (message: string) =>
  z.object({
    id: described(
      z.uuid(message).check(z.toLowerCase()),
      'UUID; uppercase and lowercase are equivalent',
      EXAMPLE_ID,
    ),
  });

export const domainPath = idPath(missing.domain);

export const alertPath = idPath(missing.alert);

export const tokenPath = idPath(missing.token);

export const deliveryPath = idPath(missing.delivery);

// Query parameters are strings. The schemas below have two stages: the first parses the string, and is not part of the
// OpenAPI document; the second validates the value, including any string that the first stage could not parse.

/** A whole number in a query. */
const wholeNumber = (minimum: number, maximum: number) =>
  z.pipe(
    z.transform((given) => (/^\d{1,9}$/.test(String(given)) ? Number(given) : given)),
    wholeNumberFrom(minimum, maximum),
  );

/** `true` or `false` in a query. */
const boolean = z.pipe(
  z.transform((given) => (given === 'true' ? true : given === 'false' ? false : given)),
  z.boolean('must be true or false'),
);

/** `true` or `false` in a query; default: false. */
export const flag = (description: string) => described(z.prefault(boolean, false), description);

/** `true` or `false` in a query, or undefined. */
export const optionalFlag = (description: string) => described(z.optional(boolean), description);

/** `page` from 1, `limit` from 1 to 100; other values are rejected. */
export const paginationQuery = z.object({
  page: described(z.prefault(wholeNumber(1, 100_000), 1), 'Page number'),
  limit: described(z.prefault(wholeNumber(1, 100), 20), 'Number of items per page'),
});

/**
 * The same for a list whose every page costs what all items up to its end cost: at most `most` items. `narrower` tells
 * callers how to reach the others. Lists with further parameters use the shape and the check separately.
 */
export function boundedPagination(most: number, narrower: string) {
  const bound = `page times limit must not exceed ${most}: ${narrower}`;
  const { page, limit } = paginationQuery.shape;
  return {
    shape: { page: described(page, `Page number; ${bound}`), limit },
    check: z.refine<z.infer<typeof paginationQuery>>(({ page, limit }) => page * limit <= most, {
      error: bound,
      path: ['page'],
    }),
  };
}

/** Longer ones are none of ours. */
const MAX_PAGE_TOKEN = 1000;

/**
 * The parameter that continues a list after the last row of a page. Lists with further parameters use the shape and the check
 * separately.
 */
export const continuing = {
  shape: {
    pageToken: described(
      z.optional(z.string().check(z.maxLength(MAX_PAGE_TOKEN, 'is not a page token'))),
      'The `nextPageToken` of a page with the same filters, instead of `page`: the next page begins after its last row, whatever was added meanwhile',
      'q83vEjRWeJCrze8SNFZ4kHsicGFnZSI6Mn0',
    ),
  },
  check: z.refine<{ page: number; pageToken?: string | undefined }>(
    ({ page, pageToken }) => pageToken === undefined || page === 1,
    { error: 'must not be combined with pageToken', path: ['page'] },
  ),
};

export const paginationMeta = z.object({
  page: described(z.int(), 'Page number', 1),
  limit: described(z.int(), 'Number of items per page', 20),
  hasMore: described(z.boolean(), 'Whether there is a next page', false),
  nextPageToken: described(
    z.optional(z.string()),
    'The `pageToken` of the next page, in lists that have this parameter',
  ),
});
/** What stands beside the items of a page. */
export const listMeta = z.object({
  pagination: described(paginationMeta, 'The position of this page in the list'),
});
