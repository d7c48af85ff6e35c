/** The outcome of a check, derived from its findings. */

import { catalogue } from '../protocol/findings/catalogue.ts';
import type { Finding } from '../protocol/findings/finding.ts';
import type { CheckOutcome } from './result-fields.ts';
import type { CheckState } from './state.ts';

/** The findings of a check with the state that they lead to. */
export function outcomeOf(findings: readonly Finding[]): CheckOutcome {
  return { state: stateOf(findings), findings };
}

/**
 * The state that the findings of a check lead to: what a rule says about the state, else `fail` if there is an error,
 * `unknown` if a lookup or fetch failed, `warning` if there is a warning, and `pass`.
 */
export function stateOf(findings: readonly Finding[]): CheckState {
  const stated = new Set(findings.map(({ id }) => catalogue[id]?.state));
  const isError = ({ id, severity }: Finding) => severity === 'error' && catalogue[id]?.state === undefined;
  if (stated.has('not-applicable')) return 'not-applicable';
  if (stated.has('fail') || findings.some(isError)) return 'fail';
  if (stated.has('absent')) return 'absent';
  if (findings.some(({ id }) => catalogue[id]?.failedLookup === 'check')) return 'unknown';
  return findings.some(({ severity }) => severity === 'warning') ? 'warning' : 'pass';
}

/**
 * The state of a check of alternatives, such as DKIM keys, of which one in effect is enough. Broken ones beside it, and
 * warnings of the check itself, are a warning. Those that do not apply do not count.
 */
export function stateOfAlternatives(
  findings: readonly Finding[],
  alternatives: readonly CheckOutcome[],
): CheckState {
  const states = new Set(alternatives.map(({ state }) => state));
  if (alternatives.some(isInEffect)) {
    const isFlawed = states.has('warning') || states.has('fail');
    return isFlawed || findings.some(({ severity }) => severity === 'warning') ? 'warning' : 'pass';
  }
  if (states.has('fail')) return 'fail';
  const state = stateOf(findings);
  return state === 'unknown' || states.has('unknown') ? 'unknown' : 'absent';
}

/** Whether what was checked is in effect: it passes, with warnings or without. */
export function isInEffect({ state }: Pick<CheckOutcome, 'state'>): boolean {
  return state === 'pass' || state === 'warning';
}

/** Adds findings to a result. */
export function withFindings<R extends CheckOutcome>(result: R, added: readonly Finding[]): R {
  return { ...result, ...outcomeOf([...result.findings, ...added]) };
}
