/** The route of the home page, which is that of the domain checker. */
import { domainCheckQuery } from '../../shared/api/domain-check-requests.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { checking } from '../domain-checker/routes.ts';
import { page, publicTool } from '../route-kinds.ts';

export const routes = {
  home: {
    ...publicTool,
    name: 'home',
    method: 'GET',
    path: '/',
    handler: 'pages/home',
    rate: 'queries',
    summary: 'Show the home page: check a domain, or start a mail test',
    errorImpact: 'Visitors cannot open the home page, so they cannot check domains or start mail tests.',
    timeoutSeconds: 25,
    request: { query: domainCheckQuery },
    success: { ...page, status: 200, description: 'The form, or the result of a check' },
    errors: ['invalid_request', 'rate_limited', 'internal'],
    uses: checking,
  },
} as const satisfies Record<string, Route>;
