/**
 * Schemas that stored shapes, results and responses share. zod/mini has no built-in messages, so every check that a caller
 * can fail defines its own.
 */
import * as z from 'zod/mini';

/** A schema with a description and an example value for the OpenAPI document. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string, example?: unknown): S =>
  schema.check(z.meta({ description, ...(example !== undefined && { examples: [example] }) })) as S;

/** A schema with keywords of JSON Schema that zod does not print, such as a constraint that a refinement checks. */
export const withKeywords = <S extends z.ZodMiniType>(
  schema: S,
  keywords: Readonly<Record<string, unknown>>,
): S => schema.check(z.meta(keywords)) as S;

export const timestamp = described(z.iso.datetime('must be an ISO 8601 time in UTC'), 'ISO 8601, UTC');

/** An array; its type is readonly, so that a stored result can be passed on as a response. */
export const list = <S extends z.ZodMiniType>(element: S) => z.readonly(z.array(element));

export const text = z.string();
export const texts = list(text);

/** One of these names. */
export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`);

/** A whole number within these limits. */
export function wholeNumberFrom(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(message).check(z.minimum(minimum, message), z.maximum(maximum, message));
}

/** Text in a format that JSON Schema has a name for. */
export const url = withKeywords(text, { format: 'uri' });
export const emailAddress = withKeywords(text, { format: 'email' });

export const domainName = described(text, 'A domain name', 'example.org');
export const textOrNull = z.nullable(z.string());
export const flagOrNull = z.nullable(z.boolean());
/** A non-negative count. */
export const count = z.int().check(z.minimum(0));

export const uuid = described(z.uuid('must be a UUID'), 'UUID');

/** For checks of records of which a name must have only one. */
export const several = described(
  z.exactOptional(texts),
  'All records, if the name has several; receivers then ignore all, or use any of them',
);
