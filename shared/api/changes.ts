/** The change of a check, as shown in alerts and in the history. */
import * as z from 'zod/mini';
import { described, texts } from './common.ts';

const state = z.enum(['pass', 'warning', 'fail', 'absent', 'not-applicable', 'unknown']);

const fault = z.object({
  id: described(z.string(), 'Stable ID of the rule'),
  subject: described(
    z.optional(z.string()),
    'What the finding is about, such as a record, a host, or a selector',
  ),
  severity: z.enum(['error', 'warning', 'notice']),
});

export const changeFields = {
  check: z.enum(['mx', 'spf', 'dkim', 'dmarc', 'mtaSts', 'tlsRpt', 'bimi', 'dnssec']),
  previousState: state,
  newState: state,
  recordsAdded: described(texts, 'Records as published, shortened; DKIM records start with their selector'),
  recordsRemoved: described(texts, 'Records that are no longer published, in the same format'),
  findingsAdded: described(z.array(fault), 'New errors and warnings'),
  findingsRemoved: described(
    z.array(fault),
    'Resolved errors and warnings. Excludes findings that are only missing because the check now fails or has nothing left to check',
  ),
  omitted: described(z.int().check(z.minimum(0)), 'Number of records and findings that are not listed'),
};
