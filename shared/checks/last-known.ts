/** Replaces the result of a check that could not run with the last known result, marked with its time. */

import { isFailedLookup } from '../protocol/findings/catalogue.ts';
import { type Finding, isSame } from '../protocol/findings/finding.ts';
import { findingsOf, mapResults, publishedRecords } from './checks.ts';
import type { CheckResults } from './results.ts';
import type { CheckName } from './state.ts';

/** How long a last known result may be used. */
const LAST_KNOWN_MILLISECONDS = 72 * 3_600_000;

/**
 * Replaces each result that is `unknown`, or that lacks an answer which the result `before` had, with the result
 * `before`. `asOf` is then the time of that observation. The new result is kept if the old one is unknown too, is older
 * than 72 hours, or does not contain something seen now: other records, or a fault. So a failed lookup never looks like
 * a change, and a failed lookup never hides a change.
 */
export function keepLastKnown(
  results: CheckResults,
  before: { readonly checkedAt: string; readonly results: CheckResults } | undefined,
  now: Date,
): CheckResults {
  if (before === undefined) return results;
  return mapResults(results, (name, result) => replacementOf(name, results, before, now) ?? result);
}

function replacementOf<N extends CheckName>(
  name: N,
  results: CheckResults,
  before: { readonly checkedAt: string; readonly results: CheckResults },
  now: Date,
): CheckResults[N] | undefined {
  const known = before.results[name];
  const isUnknown = results[name].state === 'unknown';
  if (known.state === 'unknown' || !(isUnknown || missesMore(name, results, before.results)))
    return undefined;
  const asOf = known.asOf ?? before.checkedAt;
  if (now.getTime() - Date.parse(asOf) > LAST_KNOWN_MILLISECONDS) return undefined;
  if (showsOtherRecords(name, results, before.results)) return undefined;
  if (!isUnknown && showsOtherFaults(name, results, before.results)) return undefined;
  return { ...known, asOf };
}

function missesMore(name: CheckName, seen: CheckResults, known: CheckResults): boolean {
  return !isSubset(
    findingsOf(name, seen).filter(isFailedLookup),
    findingsOf(name, known).filter(isFailedLookup),
  );
}

function showsOtherFaults(name: CheckName, seen: CheckResults, known: CheckResults): boolean {
  const isFault = ({ severity }: Finding) => severity !== 'notice';
  return !isSubset(findingsOf(name, seen).filter(isFault), findingsOf(name, known));
}

function isSubset(some: readonly Finding[], others: readonly Finding[]): boolean {
  return some.every((one) => others.some((other) => isSame(one, other)));
}

/** Whether the domain publishes other records for a check than before, as far as known. */
function showsOtherRecords(name: CheckName, seen: CheckResults, known: CheckResults): boolean {
  if (name === 'dkim') return showsOtherKeys(seen, known);
  const [now, then] = [publishedRecords(name, seen), publishedRecords(name, known)];
  return now.length > 0 && !(now.length === then.length && now.every((record) => then.includes(record)));
}

/** A failed lookup of a selector says nothing about its key. A missing selector has a finding of its own. */
function showsOtherKeys({ dkim: seen }: CheckResults, { dkim: known }: CheckResults): boolean {
  const before = new Map(known.selectors.map(({ selector, record }) => [selector, record]));
  const isOther = seen.selectors.some(
    ({ selector, record }) => record !== null && before.get(selector) !== record,
  );
  const gone = seen.findings.filter(
    ({ id }) => id === 'dkim-selector-gone' || id === 'dkim-selector-missing',
  );
  return isOther || gone.some(({ subject = '' }) => Boolean(before.get(subject)));
}
