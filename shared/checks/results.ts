/**
 * The results of all checks as they are stored, with the fields that the interface specification lists and three
 * extensions: `state`, `findings` and, in a last known result, `asOf`. A field without a value (no record, no policy) is
 * null. Each schema has defaults, so that parsing a result with only `state` and `findings` gives the empty result.
 * `shared/api/checks.ts` adds the text of findings.
 */
import * as z from 'zod/mini';
import { bimi } from './bimi/row.ts';
import { caa } from './caa/row.ts';
import { dkim } from './dkim/row.ts';
import { dmarc } from './dmarc/row.ts';
import { dnssec } from './dnssec/row.ts';
import { mtaSts } from './mta-sts/row.ts';
import { mx } from './mx/row.ts';
import { spf } from './spf/row.ts';
import type { CheckName } from './state.ts';
import { tlsRpt } from './tls-rpt/row.ts';

/** All checks: the compiler names the row of a new check that is missing. */
export const rows = { mx, spf, dkim, dmarc, mtaSts, tlsRpt, bimi, dnssec, caa } satisfies Record<
  CheckName,
  unknown
>;

const schemas = Object.fromEntries(Object.entries(rows).map(([name, { result }]) => [name, result])) as {
  readonly [Name in CheckName]: (typeof rows)[Name]['result'];
};

export const checkResults = z.object(schemas);

export type CheckResults = z.infer<typeof checkResults>;

const notRun = { state: 'unknown', findings: [] };

const parsed: z.ZodMiniType<CheckResults> = checkResults;

/** Results as stored: a check that is newer than they are has not run yet, and one that is gone is left out. */
export const storedResults = z.pipe(
  z.transform((given: object): unknown => ({
    ...Object.fromEntries(Object.keys(schemas).map((name) => [name, notRun])),
    ...given,
  })),
  parsed,
);
