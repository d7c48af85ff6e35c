/** Requests and responses of the audit log. */
import * as z from 'zod/mini';
import { described, timestamp, uuid } from '../protocol/schema.ts';
import { boundedPagination, continuing } from './common.ts';
import { csv } from './csv.ts';
import { role } from './members.ts';
import { inOrder, notAfter, sinceBeforeUntil, sinceUntil } from './report-queries.ts';

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
    notAfter('since', 'endDate'),
    notAfter('startDate', 'until'),
  );

export const auditChange = z.object({
  field: described(z.string(), 'The name of the field, with its path', 'mail.address'),
  before: described(z.nullable(z.string()), 'What it had, as text or JSON; `null`: nothing', 'a@example.org'),
  after: described(z.nullable(z.string()), 'What it has', 'b@example.org'),
});

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
  actor: described(
    z.nullable(z.string()),
    'The mail address of the person, or the name of the token, at that time; `null` for the operator of the service, and in entries from before version 1.0',
    'jo@example.org',
  ),
  role: described(z.nullable(role), 'What the person or token could do then; `null` as `actor` is'),
  changes: described(
    z.array(auditChange),
    'The fields that changed, without secrets; empty for actions that change none',
  ),
});

/** The entries as CSV; changes are one cell of JSON. */
export const auditCsv = (entries: readonly z.output<typeof auditEntry>[]): Iterable<string> =>
  csv(
    ['at', 'action', 'subject', 'name', 'actor', 'role', 'token', 'clientAddress', 'changes', 'id'],
    entries.map(({ changes, ...one }) => [
      ...[one.at, one.action, one.subject, one.name, one.actor, one.role, one.token, one.clientAddress],
      ...[changes.length === 0 ? null : JSON.stringify(changes), one.id],
    ]),
  );

/** The entries as JSON, one a line. */
export function* auditLines(entries: readonly z.output<typeof auditEntry>[]): Iterable<string> {
  for (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}
