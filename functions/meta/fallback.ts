import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { pages } from '../../shared/pages/presentation.ts';
import { ServiceError } from '../../shared/runtime/errors.ts';
import { pathPattern } from '../../shared/runtime/path-pattern.ts';
import { json, presentError } from '../../shared/runtime/presentation.ts';
import { routes } from '../routes.ts';

/** Answers requests that no route takes: 404, or 405 with the methods that the path knows; people get a page. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const path = event.rawPath.replace(/(?<=.)\/$/, '');
  const methods = Object.values(routes)
    .filter((route) => templates.get(route.path)?.test(path))
    .map((route) => route.method);
  const error =
    methods.length === 0
      ? new ServiceError('not_found')
      : new ServiceError('method_not_allowed', undefined, { headers: { allow: methods.join(', ') } });
  const inBrowser = !path.startsWith('/api') && /\btext\/html\b/.test(event.headers.accept ?? '');
  return presentError(error, event.requestContext.requestId, inBrowser ? pages : json);
}

/** Every path of the table as an expression that takes what it takes. */
const templates = new Map(Object.values(routes).map(({ path }) => [path, pathPattern(path)]));
