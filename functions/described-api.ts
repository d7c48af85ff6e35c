/** The description of the API, which programs read as a document and people as a page. */
import { API_VERSION } from '../shared/api/version.ts';
import { openApiDocument } from '../shared/openapi/document.ts';
import type { OpenApiDocument } from '../shared/openapi/schema.ts';
import { config } from '../shared/runtime/config/config.ts';
import { routes } from './routes.ts';

export function describedApi(): OpenApiDocument {
  return openApiDocument(Object.values(routes), { hostUrl: config().HOST_URL, version: API_VERSION });
}
