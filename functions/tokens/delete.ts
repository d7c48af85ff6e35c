import { deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { deleteTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.deleteToken,
  deleteTokenDependencies,
  async ({ path, query, ...request }, deps) =>
    answer(await deleteToken(asCaller(request), { ...path, ...query }, deps), () => ({
      deleted: true as const,
    })),
);
