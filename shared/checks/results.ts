/**
 * The results of all checks as they are stored, with the fields that the interface specification lists and three
 * extensions: `state`, `findings` and, in a last known result, `asOf`. A field without a value (no record, no policy) is
 * null. Each schema has defaults, so that parsing a result with only `state` and `findings` gives the empty result.
 * `shared/api/checks.ts` adds the text of findings.
 */
import * as z from 'zod/mini';
import { bimiResult } from './bimi/result.ts';
import { dkimCheck } from './dkim/result.ts';
import { dmarcResult } from './dmarc/result.ts';
import { dnssecResult } from './dnssec/result.ts';
import { mtaStsResult } from './mta-sts/result.ts';
import { mxResult } from './mx/result.ts';
import { spfResult } from './spf/result.ts';
import type { CheckName } from './state.ts';
import { tlsRptResult } from './tls-rpt/result.ts';

const schemas = {
  mx: mxResult,
  spf: spfResult,
  dkim: dkimCheck,
  dmarc: dmarcResult,
  mtaSts: mtaStsResult,
  tlsRpt: tlsRptResult,
  bimi: bimiResult,
  dnssec: dnssecResult,
} as const satisfies Record<CheckName, z.ZodMiniType>;

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
