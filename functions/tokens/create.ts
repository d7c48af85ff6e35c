import { showToken } from '../../shared/api/tokens.ts';
import { createToken } from '../../shared/operations/tokens/create-token.ts';
import { createTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.createToken,
  createTokenDependencies,
  createToken,
  ({ token, info }) => ({ ...showToken(info, null), token }),
);
