/** Schemas that several endpoints share. Their descriptions are the OpenAPI document's. */
import * as z from 'zod/mini';

/** zod's small form brings no sentences of its own, so every check that a caller can fail says its own. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string): S =>
  schema.check(z.describe(description)) as S;

export const timestamp = described(z.iso.datetime('must be an ISO 8601 time in UTC'), 'ISO 8601, UTC');

export const uuid = described(z.uuid('must be a UUID'), 'UUID');

export const idPath = z.object({ id: uuid });

/** A whole number as a query gives it, in digits. */
const wholeNumber = (minimum: number, maximum: number) => {
  const range = `must lie between ${minimum} and ${maximum}`;
  return z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/, 'must be a whole number')),
    z.pipe(
      z.transform((text: string) => Number(text)),
      z.int().check(z.minimum(minimum, range), z.maximum(maximum, range)),
    ),
  );
};

/** `true` or `false` as a query gives it; false where it is not given. */
export const flag = (description: string) =>
  described(
    z._default(
      z.pipe(
        z.enum(['true', 'false'], 'must be true or false'),
        z.pipe(
          z.transform((text: 'true' | 'false') => text === 'true'),
          z.boolean(),
        ),
      ),
      false,
    ),
    description,
  );

/** `page` from 1, `limit` from 1 to 100; what lies outside is refused rather than bent. */
export const paginationQuery = z.object({
  page: z._default(wholeNumber(1, 100_000), 1),
  limit: z._default(wholeNumber(1, 100), 20),
});

export const paginationMeta = z.object({
  page: z.int(),
  limit: z.int(),
  hasMore: z.boolean(),
});
