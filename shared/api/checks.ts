/** The check results and the score in the format of the API. */

import * as z from 'zod/mini';
import { checks, forEachCheck } from '../checks/checks.ts';
import { dkimCheck, dkimResult } from '../checks/dkim/result.ts';
import { checkResults } from '../checks/results.ts';
import type { CheckName } from '../checks/state.ts';
import { describedFinding } from '../protocol/findings/finding.ts';
import { described, list, texts, timestamp } from '../protocol/schema.ts';
import { score as computedScore } from '../score/shapes.ts';

const shown = { findings: described(list(describedFinding), 'What is wrong, with references and fixes') };
const withProblems = {
  ...shown,
  errors: described(texts, 'Messages of the findings with severity `error`', []),
  warnings: described(texts, 'Messages of the findings with severity `warning`', []),
};

const { shape } = checkResults;

const showProblems = <Name extends CheckName>(name: Name) =>
  described(z.extend(shape[name], withProblems), checks[name].description);

type Shown = { readonly [Name in CheckName]: ReturnType<typeof showProblems<Name>> };

/** `dkim` is an array by the interface specification, so the state of the whole DKIM check is in `dkimSummary`. */
export const shownResults = z.object({
  ...(forEachCheck(showProblems) as Shown),
  // The interface specification has messages by severity in most results, but not in those of MX.
  mx: described(z.extend(shape.mx, shown), checks.mx.description),
  dkim: described(list(z.extend(dkimResult, withProblems)), checks.dkim.description),
  dkimSummary: described(
    z.extend(z.omit(dkimCheck, { selectors: true }), shown),
    'State and findings of the DKIM check as a whole',
  ),
});

export const checkRun = z.object({
  checkedAt: described(timestamp, 'Time of the check run'),
  results: described(shownResults, 'The results of all checks'),
});

export const score = z.extend(computedScore, {
  lastCheckedAt: described(
    z.nullable(timestamp),
    'Time of the latest check run; `null` before the first one',
  ),
});
