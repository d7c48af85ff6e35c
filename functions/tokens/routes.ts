/** Routes of API tokens. */
import * as z from 'zod/mini';
import { paginationQuery, tokenPath } from '../../shared/api/common.ts';
import { deleted } from '../../shared/api/domains.ts';
import { createdToken, createTokenBody, deleteTokenQuery, token } from '../../shared/api/tokens.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { v1, v1Errors, v1PostErrors } from '../route-kinds.ts';

export const routes = {
  listTokens: {
    ...v1,
    name: 'listTokens',
    scope: 'admin',
    method: 'GET',
    path: '/api/v1/tokens',
    handler: 'tokens/list',
    summary: 'List API tokens that were not revoked, oldest first',
    errorImpact: 'API clients cannot list their tokens.',
    request: { query: paginationQuery },
    success: { status: 200, description: 'A page of tokens', envelope: 'page', schema: z.array(token) },
    errors: ['invalid_request', ...v1Errors],
    uses: ['organizations:read', 'token-uses:read'],
  },
  createToken: {
    ...v1,
    name: 'createToken',
    scope: 'admin',
    method: 'POST',
    path: '/api/v1/tokens',
    handler: 'tokens/create',
    summary: 'Create an API token with at most the rights of the one in the request',
    errorImpact: 'API clients cannot create tokens.',
    request: { body: createTokenBody },
    success: {
      status: 201,
      description: 'The token, which is not shown again',
      envelope: 'data',
      schema: createdToken,
    },
    errors: ['payload_too_large', ...v1PostErrors],
    uses: ['organizations:write', 'tokens:write'],
  },
  deleteToken: {
    ...v1,
    name: 'deleteToken',
    scope: 'admin',
    method: 'DELETE',
    path: '/api/v1/tokens/{id}',
    handler: 'tokens/delete',
    summary: 'Revoke an API token at once, and on request what it created',
    errorImpact: 'API clients cannot revoke tokens.',
    request: { path: tokenPath, query: deleteTokenQuery },
    success: { status: 200, description: 'The token was revoked', envelope: 'data', schema: deleted },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:write', 'tokens:write', 'token-uses:write'],
  },
} as const satisfies Record<string, Route>;
