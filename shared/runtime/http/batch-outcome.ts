import * as z from 'zod/mini';
import { batchOutcome, type Naming, showCreatedDomain } from '../../api/domains.ts';
import { Refused } from '../../operations/outcome.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { errorResponse, refusal } from './errors.ts';

/** What became of one domain of a batch, in the format of the API: as the request to register it alone would answer. */
export function showBatchOutcome(outcome: Domain | Refused, naming: Naming): z.output<typeof batchOutcome> {
  if (!(outcome instanceof Refused))
    return { outcome: 'registered', status: 201, domain: showCreatedDomain(outcome, naming) };
  // The part with the ID of the request is left out.
  const { status, body } = errorResponse(refusal(outcome), '');
  return z.parse(batchOutcome, { outcome: 'refused', status, error: body.error });
}
