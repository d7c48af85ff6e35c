/** The SPF checker, for programs and people. */
import { saveSpfForm, spfCheckBody, spfCheckResult, spfSharePath } from '../../shared/api/spf-checker.ts';
import type { Route } from '../../shared/runtime/route.ts';
import { EXPANSION_SECONDS, page, publicTool } from '../route-kinds.ts';

export const routes = {
  checkSpf: {
    ...publicTool,
    name: 'checkSpf',
    method: 'POST',
    path: '/api/spf-checker',
    handler: 'spf-checker/check',
    summary: 'Expand the SPF record of any domain',
    errorImpact: 'Nobody can check or save an SPF record by program.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { body: spfCheckBody },
    success: {
      status: 200,
      description: 'The record, expanded; saved where that was asked for',
      envelope: 'bare',
      schema: spfCheckResult,
    },
    errors: ['invalid_request', 'payload_too_large', 'rate_limited', 'internal'],
    uses: ['table:write', 'dns'],
    partitions: ['SPF#', 'RATE#'],
  },
  saveSpfCheck: {
    ...publicTool,
    name: 'saveSpfCheck',
    method: 'POST',
    path: '/s/spf',
    handler: 'spf-checker/save',
    summary: 'Check and save an SPF record from the page',
    errorImpact: 'Nobody can save a result from the page.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { form: saveSpfForm },
    success: { ...page, status: 303, description: 'The way to the saved result' },
    errors: ['invalid_request', 'payload_too_large', 'rate_limited', 'internal'],
    uses: ['table:write', 'dns'],
    partitions: ['SPF#', 'RATE#'],
  },
  getSpfShare: {
    name: 'getSpfShare',
    method: 'GET',
    path: '/s/spf/{shareId}',
    handler: 'spf-checker/share-page',
    access: 'public',
    // The limit would cost more than the page: it is one read, of a link that many may open from one office.
    rate: 'none',
    summary: 'A saved SPF result, for anyone with its link',
    errorImpact: 'Shared SPF results cannot be opened.',
    timeoutSeconds: 10,
    memoryMegabytes: 512,
    request: { path: spfSharePath },
    success: { ...page, status: 200, description: 'The result as it was saved' },
    errors: ['not_found', 'internal'],
    uses: ['table:read'],
    partitions: ['SPF#'],
  },
} as const satisfies Record<string, Route>;
