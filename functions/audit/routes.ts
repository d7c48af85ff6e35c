/** The route of the audit log. */
import * as z from 'zod/mini';
import { auditEntry, auditQuery } from '../../shared/api/audit.ts';
import { named, v1, v1Errors } from '../route-kinds.ts';

export const routes = named({
  listAudit: {
    ...v1,
    scope: 'admin',
    method: 'GET',
    path: '/api/v1/audit',
    handler: 'audit/list',
    summary: 'List what was changed, by which token or by the operator, and when, newest first',
    errorImpact: 'API clients cannot read the audit log.',
    request: { query: auditQuery },
    success: { status: 200, description: 'A page of entries', envelope: 'page', schema: z.array(auditEntry) },
    errors: ['invalid_request', ...v1Errors],
    uses: ['audit:read', 'page-keys:renew'],
  },
});
