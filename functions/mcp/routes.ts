/** The route of the Model Context Protocol. */
import * as z from 'zod/mini';
import { operation as previewChecks } from '../../shared/operations/checks/preview-checks.ts';
import { operation as checkAnyDomain } from '../../shared/operations/domain-checker/check-any-domain.ts';
import { operation as simulateRecords } from '../../shared/operations/enforcement/simulate-records.ts';
import { heavy, named, v1, v1Errors } from '../route-kinds.ts';

export const routes = named({
  serveMcp: {
    ...v1,
    scope: 'read',
    method: 'POST',
    path: '/mcp',
    handler: 'mcp/serve',
    summary: 'Answer a message of the Model Context Protocol',
    errorImpact: 'AI assistants cannot ask the service.',
    // As long as the operations behind its tools.
    ...heavy,
    request: { body: z.unknown() },
    success: { status: 200, description: 'The answer', envelope: 'rpc', schema: z.unknown() },
    errors: ['payload_too_large', 'invalid_request', ...v1Errors],
    uses: [
      ...new Set([
        ...checkAnyDomain.uses,
        ...previewChecks.uses,
        ...simulateRecords.uses,
        'attention:list',
      ] as const),
    ],
  },
});
