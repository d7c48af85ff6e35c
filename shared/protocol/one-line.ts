/** Texts of one line in requests. */
import * as z from 'zod/mini';
import { withKeywords } from './schema.ts';

/** The same as a pattern of generators of clients and requests, few of which know Unicode classes. */
const someText = (not = '\\u0000-\\u001f\\u007f-\\u009f'): string => `^[^${not}]*[^\\s${not}][^${not}]*$`;

/** A part of a list that forms separate by commas: without a comma. */
export const withoutComma = <Schema extends z.ZodMiniType<string, string>>(schema: Schema) =>
  // A second pattern would be described beside the one of the schema.
  withKeywords(schema.check(z.refine((text) => !text.includes(','), 'must not contain a comma')), {
    pattern: someText(',\\u0000-\\u001f\\u007f-\\u009f'),
  });

/** A text of one line in a request, without space around it and not empty; at most `most` characters. */
export const oneLine = (most: number) =>
  withKeywords(
    z
      .string('must be a string')
      .check(
        z.trim(),
        z.minLength(1, 'must not be empty'),
        z.maxLength(most, `must not be longer than ${most} characters`),
        z.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
      ),
    { pattern: someText() },
  );
