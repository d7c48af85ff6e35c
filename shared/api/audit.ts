/** Requests and responses of the audit log. */
import * as z from 'zod/mini';
import { described, timestamp, uuid } from '../protocol/schema.ts';
import { boundedPagination, continuing } from './common.ts';
import { inOrder, sinceBeforeUntil, sinceUntil } from './report-queries.ts';

const pagination = boundedPagination(10_000, 'use pageToken, or narrow the period with since and until');

const { since: startDate, until: endDate } = sinceUntil;

export const auditQuery = z
  .object({
    ...pagination.shape,
    ...continuing.shape,
    ...sinceUntil,
    startDate: described(startDate, 'The same as `since`; not together with it', '2026-01-01'),
    endDate: described(endDate, 'The same as `until`; not together with it', '2026-01-31'),
  })
  .check(
    pagination.check,
    continuing.check,
    z.refine(({ since, startDate }) => since === undefined || startDate === undefined, {
      error: 'must not be combined with since',
      path: ['startDate'],
    }),
    z.refine(({ until, endDate }) => until === undefined || endDate === undefined, {
      error: 'must not be combined with until',
      path: ['endDate'],
    }),
    inOrder,
    sinceBeforeUntil,
    z.refine(({ since, endDate }) => since === undefined || endDate === undefined || since <= endDate, {
      error: 'must not be after endDate',
      path: ['since'],
    }),
    z.refine(({ startDate, until }) => startDate === undefined || until === undefined || startDate <= until, {
      error: 'must not be after until',
      path: ['startDate'],
    }),
  );

export const auditEntry = z.object({
  id: described(uuid, 'ID of the entry', '01890a5d-ac96-774b-bcce-b302099a8057'),
  at: described(timestamp, 'When it was done'),
  action: described(
    z.string(),
    'What was done: an operationId of this document, `endSessions` in the console, or what only operators do',
    'createDomain',
  ),
  token: described(
    z.nullable(uuid),
    'The ID of the token of the request; `null` for the operator of the service',
  ),
  subject: described(
    z.nullable(z.string()),
    'The ID of what was changed; `null` if it has none',
    '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
  ),
  name: described(
    z.nullable(z.string()),
    'The name of what was changed, such as the domain name; `null` if it has none',
    'example.org',
  ),
  clientAddress: described(
    z.nullable(z.string()),
    'The IP address that the request came from; `null` for the operator of the service',
    '192.0.2.1',
  ),
});
