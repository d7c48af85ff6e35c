import { shareParts } from '../../shared/openapi/share-parts.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { describedApi } from '../described-api.ts';
import { routes } from '../routes.ts';

export const handler = endpoint(
  routes.getOpenApi,
  () => shareParts(describedApi()),
  async (_request, document) => reply({ ...document }),
);
