import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { pages } from '../../shared/pages/presentation.ts';
import { ServiceError } from '../../shared/runtime/errors.ts';
import { pathPattern } from '../../shared/runtime/path-pattern.ts';
import { json, presentError } from '../../shared/runtime/presentation.ts';
import { methodsOf } from '../../shared/runtime/route.ts';
import { routes } from '../routes.ts';

/** Answers requests that no route takes: 404, or 405 with the methods that the path knows; people get a page. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const path = event.rawPath.replace(/(?<=.)\/$/, '');
  const methods = Object.values(routes)
    .filter((route) => templates.get(route.path)?.test(path))
    .flatMap<string>(methodsOf);
  // A route would have taken a method that the path knows: what was asked for is another path, and only looks like this
  // one since events have paths percent-decoded, and cut at a decoded `?`.
  const error =
    methods.length === 0 || methods.includes(event.requestContext.http.method)
      ? new ServiceError('not_found')
      : new ServiceError('method_not_allowed', undefined, { headers: { allow: methods.join(', ') } });
  const inBrowser = !path.startsWith('/api') && /\btext\/html\b/.test(event.headers.accept ?? '');
  return presentError(error, event.requestContext.requestId, inBrowser ? pages : json);
}

/** Every path of the table as an expression that takes what it takes. */
const templates = new Map(Object.values(routes).map(({ path }) => [path, pathPattern(path)]));
