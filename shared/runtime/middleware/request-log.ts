import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { config } from '../config.ts';
import type { EndpointEvent } from '../endpoint.ts';
import { createLog } from '../log.ts';
import type { Route } from '../route.ts';

type MiddlewareRequest = Request<EndpointEvent, APIGatewayProxyStructuredResultV2>;

/** Writes one line about each request when it is answered: names and numbers, never a body, a header or a token. */
export function requestLog(route: Route): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  // Requests run side by side in one process, so each one's start is kept with its own event.
  const startedAt = new WeakMap<object, number>();
  const write = ({ event, response }: Pick<MiddlewareRequest, 'event' | 'response'>) => {
    createLog(config().LOG_LEVEL).info('request', {
      requestId: event.requestContext.requestId,
      route: route.name,
      status: response?.statusCode,
      organization: event.organization,
      milliseconds: Math.round(performance.now() - (startedAt.get(event) ?? Number.NaN)),
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
