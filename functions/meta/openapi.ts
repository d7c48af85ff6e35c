import { openApiDocument } from '../../shared/api/openapi.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from '../routes.ts';

/** The version of the v1 API that the document describes. */
const VERSION = '1.0.0';

export const handler = endpoint(
  routes.getOpenApi,
  () => openApiDocument(Object.values(routes), { hostUrl: config().HOST_URL, version: VERSION }),
  async (_request, document) => reply(document),
);
