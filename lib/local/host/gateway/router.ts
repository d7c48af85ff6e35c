/**
 * Finds the route of a request as an API Gateway HTTP API does: exact paths take precedence over templates, and one
 * trailing slash is ignored. Paths are matched as sent: an escaped `/` or `?` (RFC 3986 section 2.2) is not a
 * separator.
 */
import { pathPattern } from '../../../../shared/runtime/http/path-pattern.ts';
import type { RoutedFunction } from '../program.ts';

export interface Match {
  readonly route: RoutedFunction;
  /** Percent-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** All percent escapes in `path` must be well-formed. */
type Router = (method: string, path: string) => Match | undefined;

export function createRouter(routes: readonly RoutedFunction[]): Router {
  const rows = routes
    .map((route) => ({ route, names: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '') }))
    .map((row) => ({ ...row, pattern: pathPattern(row.route.path) }))
    .sort((a, b) => a.names.length - b.names.length);
  return (method, path) => {
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    for (const { route, names, pattern } of rows) {
      if (route.method !== method) continue;
      const match = pattern.exec(plain);
      if (match === null) continue;
      return {
        route,
        pathParameters: Object.fromEntries(
          names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')]),
        ),
      };
    }
    return undefined;
  };
}
