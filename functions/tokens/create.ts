import { showToken } from '../../shared/api/tokens.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { createToken, tokenDependencies } from './rules.ts';

export const handler = endpoint(
  routes.createToken,
  () => ({ ...tokenDependencies(), label: config().SERVICE_LABEL }),
  async ({ token: own, body }, deps) => {
    const { token, info } = await createToken(body, own, deps);
    return { ...reply({ ...showToken(info, null), token }), subjects: [{ id: info.id, name: info.name }] };
  },
);
