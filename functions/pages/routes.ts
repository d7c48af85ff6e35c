/** Routes of pages that belong to no single tool. */
import { spfCheckQuery } from '../../shared/api/spf-check-requests.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { EXPANSION_SECONDS, page, publicTool } from '../route-kinds.ts';

export const routes = {
  home: {
    ...publicTool,
    name: 'home',
    method: 'GET',
    path: '/',
    handler: 'pages/home',
    rate: 'queries',
    summary: 'Show the home page: check an SPF record, or start a mail test',
    errorImpact: 'Visitors cannot open the home page, so they cannot check SPF records or start mail tests.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { query: spfCheckQuery },
    success: { ...page, status: 200, description: 'The form, or the result of an SPF check' },
    errors: ['invalid_request', 'rate_limited', 'internal'],
    uses: ['dns'],
  },
} as const satisfies Record<string, Route>;
