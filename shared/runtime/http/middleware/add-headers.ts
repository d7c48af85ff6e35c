import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { EndpointEvent } from '../endpoint-event.ts';

const REQUEST_ID = 'x-request-id';

/**
 * Adds the ID of the request, which the log has, too, and the headers that other middlewares chose for every response to it, be it
 * a success or an error.
 */
export function addHeaders(): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  const add = ({ event, response }: Request<EndpointEvent, APIGatewayProxyStructuredResultV2>) => {
    if (response)
      response.headers = {
        ...response.headers,
        ...event.responseHeaders,
        [REQUEST_ID]: event.requestContext.requestId,
      };
  };
  return { after: add, onError: add };
}
