/** Routes of the SPF checker: API and pages. */
import { saveSpfForm, spfCheckBody, spfCheckQuery } from '../../shared/api/spf-check-requests.ts';
import { spfCheckResult, spfSharePath } from '../../shared/api/spf-checker.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { EXPANSION_SECONDS, page, publicTool } from '../route-kinds.ts';

export const routes = {
  checkSpf: {
    ...publicTool,
    name: 'checkSpf',
    method: 'POST',
    path: '/api/spf-checker',
    handler: 'spf-checker/check',
    summary: 'Expand the SPF record of any domain',
    description:
      'Resolves `include`, `redirect`, `a`, `mx` and `exists` recursively, and counts the DNS lookups that receivers need.',
    errorImpact: 'API clients cannot check or save SPF records.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { body: spfCheckBody },
    success: {
      status: 200,
      description: 'The expanded record',
      envelope: 'bare',
      schema: spfCheckResult,
    },
    errors: ['invalid_request', 'payload_too_large', 'rate_limited', 'internal'],
    uses: ['spf-shares:write', 'dns'],
  },
  showSpfChecker: {
    ...publicTool,
    name: 'showSpfChecker',
    method: 'GET',
    path: '/spf',
    handler: 'spf-checker/page',
    rate: 'queries',
    summary: 'Show the page of the SPF checker',
    errorImpact: 'Visitors cannot check SPF records.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { query: spfCheckQuery },
    success: { ...page, status: 200, description: 'The form, or the result of an SPF check' },
    errors: ['invalid_request', 'forbidden', 'rate_limited', 'internal'],
    uses: ['dns'],
  },
  saveSpfCheck: {
    ...publicTool,
    name: 'saveSpfCheck',
    method: 'POST',
    path: '/s/spf',
    handler: 'spf-checker/save',
    summary: 'Check and save an SPF record from the page',
    errorImpact: 'Visitors cannot save SPF results on the page.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { form: saveSpfForm },
    success: { ...page, status: 303, description: 'Redirect to the saved result' },
    errors: ['invalid_request', 'payload_too_large', 'rate_limited', 'internal'],
    uses: ['spf-shares:write', 'dns'],
  },
  getSpfShare: {
    name: 'getSpfShare',
    method: 'GET',
    path: '/s/spf/{shareId}',
    handler: 'spf-checker/share-page',
    access: 'public',
    // The page costs one read and rarely a write, less than a rate limit would, and many people in one office can open the same link.
    rate: 'none',
    summary: 'Show a saved SPF result',
    errorImpact: 'Visitors cannot open saved SPF results.',
    timeoutSeconds: 10,
    memoryMegabytes: 512,
    request: { path: spfSharePath },
    success: { ...page, status: 200, description: 'The saved result' },
    errors: ['not_found', 'internal'],
    // Opening it prolongs its life.
    uses: ['spf-shares:renew'],
  },
} as const satisfies Record<string, Route>;
