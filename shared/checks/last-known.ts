/** What becomes of a check that could not be made this time: the last known result stands in, marked with its time. */
import type { Finding } from '../protocol/findings/finding.ts';
import { publishedRecords } from './records.ts';
import type { CheckName, CheckOutcome, CheckResults } from './results.ts';

/** How long a result may stand in for one that could not be renewed. */
const LAST_KNOWN_MILLISECONDS = 72 * 3_600_000;

/** How the ids of rules end that say of something that it could not be asked. */
const UNASKED = /-(unavailable|unknown|not-asked|none-asked|deferred|incomplete)$/;

/**
 * Replaces each result that is `unknown`, or misses an answer that the one `before` it had, by that one, with `asOf`
 * saying when it was observed; unless that is unknown too, is older than 72 hours, or something was seen now that
 * it does not say: other records, or a fault. An answer that is merely missing so never looks like a change, and a
 * change is never hidden behind a missing answer.
 */
export function keepLastKnown(
  results: CheckResults,
  before: { readonly checkedAt: string; readonly results: CheckResults } | undefined,
  now: Date,
): CheckResults {
  if (before === undefined) return results;
  const kept = Object.keys(results).map((key) => {
    const name = key as CheckName;
    return [name, standsIn(name, results, before, now) ?? results[name]];
  });
  return Object.fromEntries(kept) as unknown as CheckResults;
}

/** Whether a finding says only that something could not be asked. */
export function isUnasked({ id }: Pick<Finding, 'id'>): boolean {
  return UNASKED.test(id);
}

function standsIn(
  name: CheckName,
  results: CheckResults,
  before: { readonly checkedAt: string; readonly results: CheckResults },
  now: Date,
): CheckOutcome | undefined {
  const known: CheckOutcome = before.results[name];
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
  return !isSubset(findingsOf(name, seen).filter(isUnasked), findingsOf(name, known).filter(isUnasked));
}

function showsOtherFaults(name: CheckName, seen: CheckResults, known: CheckResults): boolean {
  const isFault = ({ severity }: Finding) => severity !== 'notice';
  return !isSubset(findingsOf(name, seen).filter(isFault), findingsOf(name, known));
}

function isSubset(some: readonly Finding[], others: readonly Finding[]): boolean {
  return some.every((one) => others.some(({ id, subject }) => id === one.id && subject === one.subject));
}

function findingsOf(name: CheckName, results: CheckResults): readonly Finding[] {
  const parts = name === 'dkim' ? results.dkim.selectors : [];
  return [results[name], ...parts].flatMap(({ findings }) => findings);
}

/** Whether the domain publishes something else for a check, as far as it was seen; what lies behind it may be unknown. */
function showsOtherRecords(name: CheckName, seen: CheckResults, known: CheckResults): boolean {
  if (name === 'dkim') return showsOtherKeys(seen, known);
  const [now, then] = [publishedRecords(name, seen), publishedRecords(name, known)];
  return now.length > 0 && !(now.length === then.length && now.every((record) => then.includes(record)));
}

/** A selector that could not be asked says nothing about its key; one that is gone is told by a finding. */
function showsOtherKeys({ dkim: seen }: CheckResults, { dkim: known }: CheckResults): boolean {
  const before = new Map(known.selectors.map(({ selector, record }) => [selector, record]));
  const isOther = seen.selectors.some(
    ({ selector, record }) => record !== null && before.get(selector) !== record,
  );
  const gone = seen.findings.filter(({ id }) => id === 'dkim-selector-gone');
  return isOther || gone.some(({ subject = '' }) => Boolean(before.get(subject)));
}
