import { deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { deleteTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(routes.deleteToken, deleteTokenDependencies, deleteToken, () => ({
  deleted: true as const,
}));
