import { showToken } from '../../shared/api/tokens.ts';
import { createToken } from '../../shared/operations/tokens/create-token.ts';
import { createTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.createToken, createTokenDependencies, async (request, deps) =>
  answer(await createToken(asCaller(request), request.body, deps), ({ token, info }) => ({
    ...showToken(info, null),
    token,
  })),
);
