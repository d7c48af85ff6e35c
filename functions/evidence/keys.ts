import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { signingKeyStore } from '../../shared/store/signing-keys.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getSigningKeys,
  () => ({ keys: signingKeyStore(table()) }),
  async (_request, { keys }) => reply({ keys: await keys.list() }),
);
