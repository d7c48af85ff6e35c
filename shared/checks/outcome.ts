/** The outcome of a check, derived from its findings. */
import { catalogue } from '../protocol/findings/catalogue.ts';
import { type Finding, hasErrors, sentences } from '../protocol/findings/finding.ts';
import type { CheckOutcome, CheckState } from './results.ts';

export interface Outcome {
  readonly state: CheckState;
  readonly findings: readonly Finding[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * The outcome of a check: `fail` if there is an error, else `unknown` if a lookup or fetch failed (rules with
 * `failedLookup: 'check'`), else `warning` or `pass`. Pass `state` if there is nothing to check.
 */
export function outcomeOf(findings: readonly Finding[], state?: 'absent'): Outcome {
  const errors = sentences(findings, 'error');
  const warnings = sentences(findings, 'warning');
  return { state: state ?? stateOf(findings), findings, errors, warnings };
}

/** Whether what was checked is in effect: it passes, with warnings or without. */
export function isInEffect({ state }: Pick<CheckOutcome, 'state'>): boolean {
  return state === 'pass' || state === 'warning';
}

/** Adds findings about how the records are published, none of them more severe than a warning, to a result. */
export function withWarnings<R extends CheckOutcome>(result: R, added: readonly Finding[]): R {
  if (added.length === 0) return result;
  const findings = [...result.findings, ...added];
  const warnings = sentences(findings, 'warning');
  const state = result.state === 'pass' && warnings.length > 0 ? 'warning' : result.state;
  return { ...result, findings, state, ...('warnings' in result ? { warnings } : {}) };
}

/** The state that the findings of a check lead to. */
export function stateOf(findings: readonly Finding[]): CheckState {
  if (hasErrors(findings)) return 'fail';
  if (findings.some(({ id }) => catalogue[id]?.failedLookup === 'check')) return 'unknown';
  return findings.some(({ severity }) => severity === 'warning') ? 'warning' : 'pass';
}
