import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { EndpointEvent } from '../endpoint-event.ts';

/** Adds the headers that other middlewares chose for every response to the request, be it a success or an error. */
export function addHeaders(): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  const add = ({ event, response }: Request<EndpointEvent, APIGatewayProxyStructuredResultV2>) => {
    if (response) response.headers = { ...response.headers, ...event.responseHeaders };
  };
  return { after: add, onError: add };
}
