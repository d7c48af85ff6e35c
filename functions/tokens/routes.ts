/** Routes of API tokens. */
import * as z from 'zod/mini';
import { paginationQuery, tokenPath } from '../../shared/api/common.ts';
import { deleted } from '../../shared/api/domains.ts';
import { createdToken, token } from '../../shared/api/tokens.ts';
import { operation as createToken } from '../../shared/operations/tokens/create-token.ts';
import { operation as deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { named, performs, v1Errors, v1Read } from '../route-kinds.ts';

export const routes = named({
  listTokens: {
    ...v1Read,
    scope: 'admin',
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
    ...performs('POST', createToken),
    path: '/api/v1/tokens',
    handler: 'tokens/create',
    errorImpact: 'API clients cannot create tokens.',
    request: { body: createToken.input },
    success: {
      status: 201,
      description: 'The token, which is not shown again',
      envelope: 'data',
      schema: createdToken,
      createsAt: '/api/v1/tokens/{id}',
    },
  },
  getToken: {
    ...v1Read,
    scope: 'admin',
    path: '/api/v1/tokens/{id}',
    handler: 'tokens/get',
    summary: 'Get an API token that was not revoked',
    errorImpact: 'API clients cannot read a token.',
    request: { path: tokenPath },
    success: { status: 200, description: 'The token', envelope: 'data', schema: token },
    errors: ['not_found', ...v1Errors],
    uses: ['organizations:read', 'token-uses:read'],
  },
  deleteToken: {
    ...performs('DELETE', deleteToken),
    path: '/api/v1/tokens/{id}',
    handler: 'tokens/delete',
    errorImpact: 'API clients cannot revoke tokens.',
    request: { path: deleteToken.on, query: deleteToken.input },
    success: { status: 200, description: 'The token was revoked', envelope: 'data', schema: deleted },
  },
});
