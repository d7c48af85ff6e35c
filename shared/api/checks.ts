/** The eight check results and the score in the format of the API. */

import * as z from 'zod/mini';
import { checkOutcome, checkResults, dkimResult } from '../checks/results.ts';
import { type CheckName, checkState } from '../checks/state.ts';
import { describedFinding } from '../protocol/findings/finding.ts';
import {
  count,
  described,
  flagOrNull,
  list,
  text,
  textOrNull,
  texts,
  timestamp,
} from '../protocol/schema.ts';
import { grade, points } from '../score/grade.ts';

const shown = { findings: list(describedFinding) };
const withProblems = { ...shown, errors: texts, warnings: texts };

const shape = checkResults.shape;

/** `dkim` is an array by the interface specification, so the state of the whole DKIM check is in `dkimSummary`. */
export const shownResults = z.object({
  mx: z.extend(shape.mx, shown),
  spf: z.extend(shape.spf, withProblems),
  dkim: list(z.extend(dkimResult, withProblems)),
  dkimSummary: z.extend(checkOutcome, shown),
  dmarc: z.extend(shape.dmarc, withProblems),
  mtaSts: z.extend(shape.mtaSts, withProblems),
  tlsRpt: z.extend(shape.tlsRpt, withProblems),
  bimi: z.extend(shape.bimi, withProblems),
  dnssec: z.extend(shape.dnssec, withProblems),
});

export const checkRun = z.object({ checkedAt: timestamp, results: shownResults });

const component = z.object({
  component: z.enum(['mx', 'spf', 'dkim', 'dmarc', 'mtaSts', 'tlsRpt', 'bimi', 'dnssec', 'dane'] satisfies (
    | CheckName
    | 'dane'
  )[]),
  points: z.number(),
  maximum: z.number(),
  gain: described(z.number(), 'How many points the score can still gain from this component'),
  state: checkState,
  reason: text,
  todo: textOrNull,
});

export const score = z.object({
  score: z.nullable(points),
  grade: z.nullable(grade),
  label: z.enum(['Excellent', 'Good', 'Fair', 'Poor', 'Critical', 'Not checked']),
  usageType: text,
  lastCheckedAt: z.nullable(timestamp),
  breakdown: described(
    z.object({
      mx: z.object({ configured: flagOrNull, tlsSupported: flagOrNull, daneSupported: flagOrNull }),
      spf: z.object({ valid: flagOrNull, policy: textOrNull }),
      dkim: z.object({ configured: flagOrNull, validSelectors: count, totalSelectors: count }),
      dmarc: z.object({ valid: flagOrNull, policy: textOrNull, reportingConfigured: flagOrNull }),
      mtaSts: z.object({ valid: flagOrNull, mode: textOrNull }),
      tlsRpt: z.object({ valid: flagOrNull, reportingConfigured: flagOrNull }),
      bimi: z.object({ configured: flagOrNull, logoValid: flagOrNull }),
      dnssec: z.object({ enabled: flagOrNull, valid: flagOrNull }),
    }),
    '`null` if unknown, or if there is no policy or mode',
  ),
  components: described(list(component), 'Points per component, largest possible gain first'),
  confidence: described(
    z.number(),
    'The share of the weights that could be scored, from 0 to 1; below 1 if lookups failed',
  ),
  message: described(z.optional(text), 'Only if there is no score: how to get one'),
});
