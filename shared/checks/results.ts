/**
 * The results of all checks as they are stored, with the fields that the interface specification lists and three
 * extensions: `state`, `findings` and, in a last known result, `asOf`. A field without a value (no record, no policy) is
 * null. Each schema has defaults, so that parsing a result with only `state` and `findings` gives the empty result.
 * `shared/api/checks.ts` adds the text of findings.
 */
import * as z from 'zod/mini';
import { resultSchemas } from './checks.ts';

export const checkResults = z.object(resultSchemas);

export type CheckResults = z.infer<typeof checkResults>;

const notRun = { state: 'unknown', findings: [] };

const parsed: z.ZodMiniType<CheckResults> = checkResults;

/** Results as stored: a check that is newer than they are has not run yet, and one that is gone is left out. */
export const storedResults = z.pipe(
  z.transform((given: object): unknown => ({
    ...Object.fromEntries(Object.keys(resultSchemas).map((name) => [name, notRun])),
    ...given,
  })),
  parsed,
);
