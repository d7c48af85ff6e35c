/** Routes of the domain checker. */
import { domainCheckBody } from '../../shared/api/domain-check-requests.ts';
import { domainCheckResult } from '../../shared/api/domain-checker.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { publicTool } from '../route-kinds.ts';

export const routes = {
  checkAnyDomain: {
    ...publicTool,
    acceptsToken: true,
    name: 'checkAnyDomain',
    method: 'POST',
    path: '/api/domain-checker',
    handler: 'domain-checker/check',
    summary: 'Run all checks of any domain, and get its score and recommended changes',
    description:
      'Stores nothing about the domain but the results, for a minute; until then, requests for it get the same results. With the token of an organization that registered the domain, results and recommended changes contain its report mailbox, but a saved result never does.',
    errorImpact: 'API clients cannot check domains that are not registered.',
    timeoutSeconds: 25,
    request: { body: domainCheckBody },
    success: {
      status: 200,
      description: 'The results, the score and the recommended changes',
      envelope: 'bare',
      schema: domainCheckResult,
    },
    errors: ['invalid_request', 'unauthorized', 'forbidden', 'payload_too_large', 'rate_limited', 'internal'],
    uses: [
      'organizations:read',
      'domain-data:read',
      'domain-checks:write',
      'rate-limits:write',
      'dns',
      'probes',
    ],
  },
} as const satisfies Record<string, Route>;
