/** What the checks of a domain saw at a time: the latest results with the later changes of the history undone. */
import { findingsOf, publishedRecords } from '../checks/checks.ts';
import type { CheckResults } from '../checks/results.ts';
import type { CheckName } from '../checks/state.ts';
import { type Finding, isSame } from '../protocol/findings/finding.ts';
import type { ChecksEntry } from '../store/check-runs/history.ts';

/** What a check saw. */
export interface Seen {
  /** As published; those that the history restores are shortened. */
  readonly records: readonly string[];
  /** Errors and warnings. */
  readonly findings: readonly Finding[];
}

/**
 * What the check `name` saw at `time` (ISO 8601). Undefined before the first check run, or before what the history still
 * has, and if the latest lookups failed: then it is not known what there was.
 * @param entries The history, newest first; it must reach back to `time`, or to its beginning.
 */
export function seenAt(
  name: CheckName,
  time: string,
  { results, entries }: { results: CheckResults; entries: readonly ChecksEntry[] },
): Seen | undefined {
  const oldest = entries.at(-1);
  if (oldest === undefined || time < oldest.at) return undefined;
  let seen = latest(name, results);
  if (results[name].state === 'unknown' && seen.records.length === 0) return undefined;
  for (const { at, changes } of entries) {
    if (at <= time) break;
    for (const change of changes) {
      if (change.check !== name) continue;
      const { recordsAdded, recordsRemoved, findingsAdded, findingsRemoved } = change;
      seen = {
        records: [...seen.records.filter((text) => !recordsAdded.includes(text)), ...recordsRemoved],
        findings: [
          ...seen.findings.filter((found) => !findingsAdded.some((added) => isSame(added, found))),
          ...findingsRemoved,
        ],
      };
    }
  }
  return seen;
}

function latest(name: CheckName, results: CheckResults): Seen {
  return {
    records: publishedRecords(name, results),
    findings: findingsOf(name, results).filter(({ severity }) => severity !== 'notice'),
  };
}
