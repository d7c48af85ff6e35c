/** Requests and responses of the audit log. */
import * as z from 'zod/mini';
import { described, timestamp, uuid } from '../protocol/schema.ts';
import { boundedPagination } from './common.ts';
import { inOrder, moment } from './report-queries.ts';

const pagination = boundedPagination(10_000, 'narrow the period with startDate and endDate');

const startDate = described(
  z.optional(moment('00:00:00.000')),
  'Return only entries from this time on. ISO 8601 date, or date and time; UTC if it has no offset',
);
const endDate = described(
  z.optional(moment('23:59:59.999')),
  'Return only entries up to this time, in the same format. A date means the end of that day',
);

export const auditQuery = z
  .object({ ...pagination.shape, startDate, endDate })
  .check(pagination.check, inOrder);

export const auditEntry = z.object({
  at: timestamp,
  action: described(z.string(), 'What was done: an operationId of this document, such as `createDomain`'),
  token: described(uuid, 'The ID of the token of the request'),
  subject: described(z.nullable(z.string()), 'The ID of what was changed'),
  name: described(z.nullable(z.string()), 'The name of what was changed, such as the domain name'),
});
