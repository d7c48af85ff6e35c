/** Requests and responses of the audit log. */
import * as z from 'zod/mini';
import { described, timestamp, uuid } from '../protocol/schema.ts';
import { boundedPagination } from './common.ts';
import { inOrder, timesOf } from './report-queries.ts';

const pagination = boundedPagination(10_000, 'narrow the period with startDate and endDate');

export const auditQuery = z
  .object({ ...pagination.shape, ...timesOf('entries') })
  .check(pagination.check, inOrder);

export const auditEntry = z.object({
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
