/** Routes of API tokens. */
import * as z from 'zod/mini';
import { paginationQuery, tokenPath } from '../../shared/api/common.ts';
import { deleted } from '../../shared/api/domains.ts';
import { createdToken, token } from '../../shared/api/tokens.ts';
import { operation as createToken } from '../../shared/operations/tokens/create-token.ts';
import { operation as deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { created, data, named, paged, performs, reads } from '../route-kinds.ts';

export const routes = named({
  listTokens: {
    ...reads('/api/v1/tokens', { query: paginationQuery }),
    scope: 'admin',
    handler: 'tokens/list',
    summary: 'List API tokens that were not revoked, oldest first',
    errorImpact: 'API clients cannot list their tokens.',
    success: paged('A page of tokens', z.array(token)),
    uses: ['organizations:read', 'token-uses:read'],
  },
  createToken: {
    ...performs('POST', '/api/v1/tokens', createToken),
    handler: 'tokens/create',
    errorImpact: 'API clients cannot create tokens.',
    success: created('The token, which is not shown again', createdToken, '/api/v1/tokens/{id}'),
  },
  getToken: {
    ...reads('/api/v1/tokens/{id}', { path: tokenPath }),
    scope: 'admin',
    handler: 'tokens/get',
    summary: 'Get an API token that was not revoked',
    errorImpact: 'API clients cannot read a token.',
    success: data('The token', token),
    uses: ['organizations:read', 'token-uses:read'],
  },
  deleteToken: {
    ...performs('DELETE', '/api/v1/tokens/{id}', deleteToken),
    handler: 'tokens/delete',
    errorImpact: 'API clients cannot revoke tokens.',
    success: data('The token was revoked', deleted),
  },
});
