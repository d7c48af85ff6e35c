import { showToken } from '../../shared/api/tokens.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { routes } from './routes.ts';
import { createToken } from './rules.ts';

export const handler = endpoint(
  routes.createToken,
  () => ({ organizations: organizationStore(table()), label: config().SERVICE_LABEL, clock }),
  async ({ token: own, body }, deps) => {
    const { token, info } = await createToken(body, own, deps);
    return { ...reply({ ...showToken(info, null), token }), subjects: [{ id: info.id, name: info.name }] };
  },
);
