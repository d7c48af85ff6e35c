/** The eight check results and the score in the format of the API. */
import * as z from 'zod/mini';
import {
  type CheckName,
  type CheckOutcome,
  type CheckResults,
  checkOutcome,
  checkResults,
  checkState,
  dkimResult,
} from '../checks/results.ts';
import { describeFor } from '../protocol/findings/catalogue.ts';
import { describedFinding, messages, type Owner } from '../protocol/findings/finding.ts';
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
import { grade, points } from '../score/score.ts';

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

/** The stored results of `owner` in the format of the API, with the text of their findings. */
export function showChecks(results: CheckResults, owner: Owner): z.output<typeof shownResults> {
  const show = <R extends CheckOutcome>(result: R) => ({
    ...result,
    findings: result.findings.map(describeFor(owner)),
  });
  // The interface specification has messages by severity in most results, but not in those of MX.
  const showProblems = <R extends CheckOutcome>(result: R) => {
    const shown = show(result);
    const { findings } = shown;
    return { ...shown, errors: messages(findings, 'error'), warnings: messages(findings, 'warning') };
  };
  const { selectors, ...dkimSummary } = results.dkim;
  return {
    mx: show(results.mx),
    spf: showProblems(results.spf),
    dkim: selectors.map(showProblems),
    dkimSummary: show(dkimSummary),
    dmarc: showProblems(results.dmarc),
    mtaSts: showProblems(results.mtaSts),
    tlsRpt: showProblems(results.tlsRpt),
    bimi: showProblems(results.bimi),
    dnssec: showProblems(results.dnssec),
  };
}

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
