/** The route of recommended changes. */
import { fixes, fixesQuery, route53ChangeBatch, terraform, zoneFragment } from '../../shared/api/fixes.ts';
import { operation as getFixes } from '../../shared/operations/fixes/plan-fixes.ts';
import { named, performs, v1Errors } from '../route-kinds.ts';

export const routes = named({
  getFixes: {
    ...performs('GET', getFixes),
    path: '/api/v1/domains/{id}/fixes',
    handler: 'fixes/get',
    errorImpact: 'API clients cannot read recommended changes.',
    request: { path: getFixes.on, query: fixesQuery },
    success: {
      status: 200,
      description: 'The recommended changes; empty before the first check run',
      envelope: 'data',
      schema: fixes,
      alternatives: {
        'application/json': { schema: route53ChangeBatch },
        'text/dns': { schema: zoneFragment },
        'text/plain': { schema: terraform },
      },
    },
    errors: ['invalid_request', 'not_found', ...v1Errors],
  },
});
