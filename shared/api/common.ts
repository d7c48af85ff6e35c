/** Schemas that several endpoints share. Their descriptions are the OpenAPI document's. */
import * as z from 'zod/mini';

/** zod's small form brings no sentences of its own, so every check that a caller can fail says its own. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string): S =>
  schema.check(z.describe(description)) as S;

export const timestamp = described(z.iso.datetime('must be an ISO 8601 time in UTC'), 'ISO 8601, UTC');

export const text = z.string();
export const texts = z.array(z.string());
export const textOrNull = z.nullable(z.string());
export const flagOrNull = z.nullable(z.boolean());
/** How many there are of something, from 0. */
export const count = z.int().check(z.minimum(0));

export const uuid = described(z.uuid('must be a UUID'), 'UUID');

/** What callers are told of something that is not there: the same for a malformed id as for an unknown one. */
export const missing = {
  domain: 'There is no such domain.',
  alert: 'There is no such alert.',
  badge: 'There is no such badge.',
  test: 'There is no such test, or it has expired.',
  spfResult: 'There is no saved result at this address.',
} as const;

/** An id as callers may write it, in either case (RFC 9562 section 4), in the form in which we keep it. */
const idPath = (message: string) =>
  z.object({ id: described(z.uuid(message).check(z.toLowerCase()), 'UUID, in upper or lower case') });

export const domainPath = idPath(missing.domain);

export const alertPath = idPath(missing.alert);

// What a query gives is text. The schemas below describe what it has to mean: a first stage that merely reads the text
// is no part of the OpenAPI document, and leaves what it cannot read to the second, which refuses it.

/** A whole number as a query gives it, in digits. */
const wholeNumber = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z.pipe(
    z.transform((given) => (/^\d{1,9}$/.test(String(given)) ? Number(given) : given)),
    z.int(message).check(z.minimum(minimum, message), z.maximum(maximum, message)),
  );
};

/** `true` or `false` as a query gives it; false where it is not given. */
export const flag = (description: string) =>
  described(
    z.prefault(
      z.pipe(
        z.transform((given) => (given === 'true' ? true : given === 'false' ? false : given)),
        z.boolean('must be true or false'),
      ),
      false,
    ),
    description,
  );

/** `page` from 1, `limit` from 1 to 100; what lies outside is refused rather than bent. */
export const paginationQuery = z.object({
  page: z.prefault(wholeNumber(1, 100_000), 1),
  limit: z.prefault(wholeNumber(1, 100), 20),
});

export const paginationMeta = z.object({
  page: z.int(),
  limit: z.int(),
  hasMore: z.boolean(),
});
