/** The route of the audit log. */
import * as z from 'zod/mini';
import { auditEntry, auditQuery } from '../../shared/api/audit.ts';
import { csv } from '../../shared/runtime/http/route.ts';
import { named, paged, reads, v1Errors } from '../route-kinds.ts';

export const routes = named({
  listAudit: {
    ...reads('/api/v1/audit', { query: auditQuery }),
    scope: 'admin',
    handler: 'audit/list',
    summary: 'List what was changed, by which token or by the operator, and when, newest first',
    errorImpact: 'API clients cannot read the audit log.',
    success: {
      ...paged('A page of entries', z.array(auditEntry)),
      formats: [
        csv({
          name: 'listAuditCsv',
          summary: 'Export the audit log of a period as CSV, newest first, up to 10,000 entries',
          example: 'at,action,subject,name,actor',
          without: ['page', 'limit', 'pageToken'],
        }),
        {
          ending: '.jsonl',
          mediaType: 'application/jsonl',
          name: 'listAuditLines',
          summary: 'Export the audit log of a period as JSON lines, newest first, up to 10,000 entries',
          description: 'One JSON object a line, in the format of the list',
          without: ['page', 'limit', 'pageToken'],
          example: '{"at":"2026-01-30T06:30:00.000Z","action":"createDomain"}',
        },
      ],
    },
    errors: ['invalid_request', 'payload_too_large', ...v1Errors],
    uses: ['audit:read', 'page-keys:renew'],
  },
});
