import { deleteReportQuery, reportPath } from '../../api/report-queries.ts';
import type { Operation } from '../operation.ts';

export const operation = {
  name: 'deleteTlsReport',
  summary:
    'Delete a TLS report with its share of every sum; a mail with the same report does not bring it back',
  scope: 'write',
  on: reportPath,
  input: deleteReportQuery,
  refusals: ['invalid_request', 'not_found', 'payload_too_large'],
  uses: ['organizations:read', 'domain-data:write', 'queue:summaries'],
} as const satisfies Operation;
