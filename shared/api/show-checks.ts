/** The check results of a domain in the format of the API, apart from their schema, which needs no texts of findings. */
import type * as z from 'zod/mini';
import { forEachCheck } from '../checks/checks.ts';
import type { CheckOutcome } from '../checks/result-fields.ts';
import type { CheckResults } from '../checks/results.ts';
import type { CheckName } from '../checks/state.ts';
import { describeFor } from '../protocol/findings/catalogue.ts';
import { type FindingAudience, messages } from '../protocol/findings/finding.ts';
import type { shownResults } from './checks.ts';

/** The stored results of `owner` in the format of the API, with the text of their findings. */
export function showChecks(results: CheckResults, owner: FindingAudience): z.output<typeof shownResults> {
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
  type Shown = { readonly [Name in CheckName]: ReturnType<typeof showProblems<CheckResults[Name]>> };
  const { selectors, ...dkimSummary } = results.dkim;
  return {
    ...(forEachCheck((name) => showProblems(results[name])) as Shown),
    mx: show(results.mx),
    dkim: selectors.map(showProblems),
    dkimSummary: show(dkimSummary),
  };
}
