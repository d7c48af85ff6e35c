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
    summary: 'The page for people: check an SPF record, or begin a mail test',
    errorImpact: 'Nobody can check an SPF record in the browser, or begin a mail test there.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { query: spfCheckQuery },
    success: { ...page, status: 200, description: 'The forms, or the result of an SPF check' },
    errors: ['invalid_request', 'rate_limited', 'internal'],
    uses: ['table:write', 'dns'],
    partitions: ['RATE#'],
  },
} as const satisfies Record<string, Route>;
