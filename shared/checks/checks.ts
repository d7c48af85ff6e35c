/** What all checks have in common, from their rows. */
import type { Finding } from '../protocol/findings/finding.ts';
import type { Check } from './check.ts';
import type { CheckOutcome } from './result-fields.ts';
import { type CheckResults, rows } from './results.ts';
import { type CheckName, checkNames } from './state.ts';

export const checks: { readonly [Name in CheckName]: Check<CheckResults[Name]> } = rows;

/** A value for each check. */
export const forEachCheck = <Value>(make: (name: CheckName) => Value): Record<CheckName, Value> =>
  Object.fromEntries(checkNames.map((name) => [name, make(name)])) as Record<CheckName, Value>;

/** The results with each of them changed. */
export function mapResults(
  results: CheckResults,
  change: <Name extends CheckName>(name: Name, result: CheckResults[Name]) => CheckResults[Name],
): CheckResults {
  const changed = { ...results };
  const set = <Name extends CheckName>(name: Name) => {
    changed[name] = change(name, results[name]);
  };
  for (const name of checkNames) set(name);
  return changed;
}

/** The records that a check found. */
export const publishedRecords = <Name extends CheckName>(
  name: Name,
  results: CheckResults,
): readonly string[] => checks[name].records(results[name]);

/** What a check depends on beside its records; undefined if that is unknown, or nothing. */
export const contextOf = <Name extends CheckName>(name: Name, results: CheckResults) =>
  checks[name].context?.(results[name]);

/** The findings of a check, those of its parts included. */
export function findingsOf<Name extends CheckName>(name: Name, results: CheckResults): readonly Finding[] {
  const result = results[name];
  const parts: readonly CheckOutcome[] = checks[name].parts?.(result) ?? [];
  return [result, ...parts].flatMap(({ findings }) => findings);
}

/** The checks as people call them. */
export const checkTitles: Readonly<Record<CheckName, string>> = forEachCheck((name) => checks[name].title);
