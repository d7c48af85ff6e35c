/** The change of a check, as alerts and the history show it. */
import * as z from 'zod/mini';
import { checkName, checkState } from '../checks/state.ts';
import { findingArguments, problem } from '../protocol/findings/finding.ts';
import { count, described, list, texts } from '../protocol/schema.ts';

const changedFinding = z.extend(problem, {
  arguments: described(findingArguments, 'The values in the message of the finding, by name'),
});

/** A change as it is displayed; bounded, however much changed. */
export const shownChange = z.object({
  check: described(checkName, 'The check', 'dmarc'),
  previousState: described(checkState, 'Its state before', 'warning'),
  newState: described(checkState, 'Its state now', 'warning'),
  recordsAdded: described(
    texts,
    'Records as published, shortened; DKIM records start with their selector. Also the MTA-STS policy (`policy mode=`) and the name servers of the zone (`NS`)',
    ['v=DMARC1; p=none'],
  ),
  recordsRemoved: described(texts, 'Records that are no longer published, in the same format', [
    'v=DMARC1; p=reject',
  ]),
  findingsAdded: described(
    list(changedFinding),
    'New errors and warnings, and notices that a certificate ends soon',
    [],
  ),
  findingsRemoved: described(
    list(changedFinding),
    'Resolved errors and warnings. Excludes findings that are only missing because the check now fails or has nothing left to check, or because a policy was weakened',
    [],
  ),
  omitted: described(count, 'Number of records and findings that are not listed', 0),
});

export type ShownChange = z.infer<typeof shownChange>;
