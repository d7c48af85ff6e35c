/** The headers of requests and responses in the OpenAPI document: conventions that the kind of a route decides. */
import { cacheControlOf, type Route } from '../runtime/http/route.ts';
import type { ApiResponse, Header, Parameter } from './schema.ts';

type Headers = Readonly<Record<string, Header>>;

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  ...text(description, example),
});

const EXAMPLE_ID = '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11';

/** Whether responses have an entity tag with which clients can ask whether they changed. */
const isTagged = (route: Route): boolean => cacheControlOf(route) !== undefined;

/** The request headers of a route besides `Authorization` and those about content. */
export function headerParameters(route: Route): Parameter[] {
  const { access, method, errors } = route;
  return [
    ...(access === 'token' && method === 'POST'
      ? [
          header(
            'Idempotency-Key',
            'Identifies the request, so that it has one effect if it is sent again within a day. A quoted string; the quotes can be omitted',
            '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
          ),
        ]
      : []),
    ...(isTagged(route)
      ? [
          header(
            'If-None-Match',
            'The `ETag` of an earlier response; the response is 304 without content if nothing changed',
            '"mb3k2p9s.Q0ZxZq3v1kJ8mN5tR7wYbA"',
          ),
        ]
      : []),
    ...(errors.includes('precondition_failed')
      ? [
          header(
            'If-Match',
            'The `ETag` of the resource as you know it; the response is 412 if it has changed since',
            '"mb3k2p9s.Q0ZxZq3v1kJ8mN5tR7wYbA"',
          ),
        ]
      : []),
  ];
}

/** The headers of the successful response of a route. */
export function successHeaders(route: Route): Headers {
  const { success } = route;
  return {
    ...rateHeaders(route),
    ...((isTagged(route) || route.hasVersions) && {
      ETag: text('Identifies this version of the response', '"mb3k2p9s.Q0ZxZq3v1kJ8mN5tR7wYbA"'),
    }),
    ...(success.createsAt !== undefined && {
      Location: text('Path of what was created', `/api/v1/domains/${EXAMPLE_ID}`),
    }),
    ...(success.envelope === 'page' && {
      Link: text(
        'The first, previous and next page, as far as they exist (RFC 8288)',
        '<https://monitor.example.net/api/v1/domains?page=2&limit=20>; rel="next"',
      ),
    }),
  };
}

/** The headers about the rate limit of a route, all under one example (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateHeaders({ rate }: Pick<Route, 'rate'>): Headers {
  if (rate === 'none') return {};
  return {
    RateLimit: text(
      'What is left of the rate limit with this name: `r` requests, and more in `t` seconds',
      '"organization";r=599;t=60',
    ),
    'RateLimit-Policy': text(
      'The rate limit with this name: `q` requests in any `w` seconds',
      '"organization";q=600;w=60',
    ),
  };
}

/** The response to a conditional request for something that did not change. */
export const notModified = (route: Route): Readonly<Record<string, ApiResponse>> =>
  isTagged(route)
    ? { 304: { description: 'Not modified since the response with the entity tag in If-None-Match' } }
    : {};
