/** The route of recommended changes. */
import { domainPath } from '../../shared/api/common.ts';
import { fixes, fixesQuery, route53ChangeBatch, terraform, zoneFragment } from '../../shared/api/fixes.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { v1, v1Errors } from '../route-kinds.ts';

export const routes = {
  getFixes: {
    ...v1,
    name: 'getFixes',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/domains/{id}/fixes',
    handler: 'fixes/get',
    summary: 'Get the changes of DNS records that improve a domain, from its latest check results',
    description: 'Only safe changes count for `scoreAfter`, and only they are in files (`format`).',
    errorImpact: 'API clients cannot read recommended changes.',
    request: { path: domainPath, query: fixesQuery },
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
    uses: ['organizations:read', 'domain-data:read'],
  },
} as const satisfies Record<string, Route>;
