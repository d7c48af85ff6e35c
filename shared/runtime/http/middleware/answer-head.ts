import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { EndpointEvent } from '../endpoint-event.ts';

/** Responds to `HEAD` as to `GET`, without the content (RFC 9110 section 9.3.2). */
export function answerHead(): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  const dropContent = (request: Request<EndpointEvent, APIGatewayProxyStructuredResultV2>) => {
    if (request.event.requestContext.http.method !== 'HEAD') return;
    request.response = { ...request.response, body: '', isBase64Encoded: false };
  };
  return { after: dropContent, onError: dropContent };
}
