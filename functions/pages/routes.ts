/** Pages that belong to no tool. */
import { spfCheckQuery } from '../../shared/api/spf-checker.ts';
import type { Route } from '../../shared/runtime/route.ts';
import { EXPANSION_SECONDS, page, publicTool } from '../route-kinds.ts';

export const routes = {
  home: {
    ...publicTool,
    name: 'home',
    method: 'GET',
    path: '/',
    handler: 'pages/home',
    summary: 'The page for people: check a domain in the browser',
    errorImpact: 'Nobody can check a domain in the browser.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { query: spfCheckQuery },
    success: { ...page, status: 200, description: 'The form, or the result' },
    errors: ['invalid_request', 'rate_limited', 'internal'],
    uses: ['table:write', 'dns'],
    partitions: ['RATE#'],
  },
} as const satisfies Record<string, Route>;
