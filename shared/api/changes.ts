/** A change of a check, as alerts and histories show it. */
import * as z from 'zod/mini';
import { described, texts } from './common.ts';

const state = z.enum(['pass', 'warning', 'fail', 'absent', 'not-applicable', 'unknown']);

const fault = z.object({
  id: described(z.string(), 'Stable name of the rule'),
  subject: z.optional(z.string()),
  severity: z.enum(['error', 'warning', 'notice']),
});

export const changeFields = {
  check: z.enum(['mx', 'spf', 'dkim', 'dmarc', 'mtaSts', 'tlsRpt', 'bimi', 'dnssec']),
  previousState: state,
  newState: state,
  recordsAdded: described(texts, 'As published, shortened; those of DKIM begin with their selector'),
  recordsRemoved: texts,
  findingsAdded: described(z.array(fault), 'Errors and warnings that were not there before'),
  findingsRemoved: described(
    z.array(fault),
    'Errors and warnings that are solved; not those that a check which broke or found nothing no longer sees',
  ),
  omitted: described(z.int().check(z.minimum(0)), 'Further records and findings that are too many to list'),
};
