import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { record } from '../../logging/metric.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import type { Route } from '../route.ts';

type MiddlewareRequest = Request<EndpointEvent, APIGatewayProxyStructuredResultV2>;

/** Writes one line per request after the response: names and numbers, never a body, a header, or a token. */
export function requestLog(route: Route): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  // One process can handle requests concurrently, so each start time is stored with its event.
  const startedAt = new WeakMap<object, number>();
  const write = ({ event, response }: Pick<MiddlewareRequest, 'event' | 'response'>) => {
    const status = response?.statusCode ?? 500;
    record('request', {
      requestId: event.requestContext.requestId,
      route: route.name,
      status,
      statusClass: `${Math.floor(status / 100)}xx`,
      organization: event.organization,
      clientAddress: event.requestContext.http.sourceIp,
      requestMilliseconds: Math.round(performance.now() - (startedAt.get(event) ?? performance.now())),
    });
  };
  return {
    before: ({ event }) => {
      startedAt.set(event, performance.now());
    },
    after: write,
    onError: write,
  };
}
