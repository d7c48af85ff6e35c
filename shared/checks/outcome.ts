/** What the findings of a check amount to. */
import { type Finding, hasErrors, sentences } from '../protocol/findings/finding.ts';
import type { CheckOutcome, CheckState } from './results.ts';

export interface Outcome {
  readonly state: CheckState;
  readonly findings: readonly Finding[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * The outcome of a check. `fail` where there is an error, else `unknown` where something could not be asked, which is
 * what rules whose id ends in `-unavailable` say, else `warning` or `pass`. `state` is given where there is nothing
 * to judge.
 */
export function outcomeOf(findings: readonly Finding[], state?: 'absent'): Outcome {
  const errors = sentences(findings, 'error');
  const warnings = sentences(findings, 'warning');
  return { state: state ?? stateOf(findings), findings, errors, warnings };
}

/** Whether the outcome is that of something in force. */
export function isValid({ state }: Outcome): boolean {
  return state === 'pass' || state === 'warning';
}

/** A result with findings added, none of them graver than a warning, on how its records are published. */
export function withWarnings<R extends CheckOutcome>(result: R, added: readonly Finding[]): R {
  if (added.length === 0) return result;
  const findings = [...result.findings, ...added];
  const warnings = sentences(findings, 'warning');
  const state = result.state === 'pass' && warnings.length > 0 ? 'warning' : result.state;
  return { ...result, findings, state, ...('warnings' in result ? { warnings } : {}) };
}

function stateOf(findings: readonly Finding[]): CheckState {
  if (hasErrors(findings)) return 'fail';
  if (findings.some(({ id }) => id.endsWith('-unavailable'))) return 'unknown';
  return findings.some(({ severity }) => severity === 'warning') ? 'warning' : 'pass';
}
