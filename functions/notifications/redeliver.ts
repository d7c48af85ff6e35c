import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { redeliver, redeliveryDependencies } from './rules.ts';

export const handler = endpoint(
  routes.redeliver,
  redeliveryDependencies,
  async ({ organization, path }, deps) => reply(await redeliver(organization, path.id, deps)),
);
