/** Routes of check results, scores, and their history. */
import { checkRun, score } from '../../shared/api/checks.ts';
import { domainPath, paginationQuery } from '../../shared/api/common.ts';
import { checksHistory, scoreHistory } from '../../shared/api/history.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { v1, v1Errors } from '../route-kinds.ts';

export const routes = {
  runChecks: {
    ...v1,
    name: 'runChecks',
    method: 'POST',
    path: '/api/v1/domains/{id}/checks',
    handler: 'checks/run',
    summary: 'Run all checks of a domain now',
    errorImpact: 'API clients cannot run checks on request.',
    timeoutSeconds: 25,
    memoryMegabytes: 1024,
    request: { path: domainPath },
    success: { status: 200, description: 'The results', envelope: 'data', schema: checkRun },
    errors: ['not_found', ...v1Errors],
    uses: [
      'organizations:write',
      'domain-data:write',
      'tested-selectors:read',
      'rate-limits:write',
      'queue:checks',
      'dns',
      'probes',
    ],
  },
  getScore: {
    ...v1,
    name: 'getScore',
    method: 'GET',
    path: '/api/v1/domains/{id}/score',
    handler: 'checks/score',
    summary: 'Get the security score of the latest check results',
    errorImpact: 'API clients cannot read scores.',
    request: { path: domainPath },
    success: { status: 200, description: 'The score', envelope: 'data', schema: score },
    errors: ['not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  getScoreHistory: {
    ...v1,
    name: 'getScoreHistory',
    method: 'GET',
    path: '/api/v1/domains/{id}/score/history',
    handler: 'checks/score-history',
    summary: 'List score changes, newest first',
    errorImpact: 'API clients cannot read the score history.',
    request: { path: domainPath, query: paginationQuery },
    success: { status: 200, description: 'A page of score changes', envelope: 'page', schema: scoreHistory },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  getChecksHistory: {
    ...v1,
    name: 'getChecksHistory',
    method: 'GET',
    path: '/api/v1/domains/{id}/checks/history',
    handler: 'checks/history',
    summary: 'List changes of check results, newest first',
    errorImpact: 'API clients cannot read the check history.',
    request: { path: domainPath, query: paginationQuery },
    success: { status: 200, description: 'A page of changes', envelope: 'page', schema: checksHistory },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
} as const satisfies Record<string, Route>;
