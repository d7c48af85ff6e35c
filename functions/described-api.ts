/** The description of the API, which programs read as a document and people as a page. */
import { openApiDocument } from '../shared/openapi/document.ts';
import type { OpenApiDocument } from '../shared/openapi/schema.ts';
import { config } from '../shared/runtime/config/config.ts';
import { routes } from './routes.ts';

/** The version of the v1 API that the document describes. */
const VERSION = '1.0.0';

export function describedApi(): OpenApiDocument {
  return openApiDocument(Object.values(routes), { hostUrl: config().HOST_URL, version: VERSION });
}
