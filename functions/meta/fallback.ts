import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { pages } from '../../shared/pages/presentation.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { pathPattern } from '../../shared/runtime/http/path-pattern.ts';
import { json, presentError } from '../../shared/runtime/http/presentation.ts';
import { methodsOf, pathsOf } from '../../shared/runtime/http/route.ts';
import { routes } from '../routes.ts';

/** Handles requests that match no route: 404, or 405 with the methods that the path supports. Browsers get a page. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const path = event.rawPath.replace(/(?<=.)\/$/, '');
  const matching = Object.values(routes).flatMap((route) =>
    pathsOf(route)
      .filter((template) => pathPattern(template).test(path))
      .map((template) => ({ route, parameters: template.split('{').length })),
  );
  // A path that a template names is not one of a template that has a parameter there.
  const fewest = Math.min(...matching.map(({ parameters }) => parameters));
  const methods = matching
    .filter(({ parameters }) => parameters === fewest)
    .flatMap<string>(({ route }) => methodsOf(route));
  // If the method is allowed, the requested path only looks like a known one, because paths in events are
  // percent-decoded and truncated at a decoded `?`. Otherwise a route would have matched.
  const error =
    methods.length === 0 || methods.includes(event.requestContext.http.method)
      ? new ServiceError('not_found')
      : new ServiceError('method_not_allowed', undefined, { headers: { allow: methods.join(', ') } });
  const inBrowser = !path.startsWith('/api') && /\btext\/html\b/.test(event.headers.accept ?? '');
  return presentError(error, event.requestContext.requestId, inBrowser ? pages : json);
}
