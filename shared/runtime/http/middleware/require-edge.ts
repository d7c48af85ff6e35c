import type { MiddlewareObj } from '@middy/core';
import { isSameSecret } from '../../../protocol/same-secret.ts';
import { config } from '../../config/config.ts';
import { ORIGIN_HEADER, VIEWER_HEADER } from '../edge.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { ServiceError } from '../errors.ts';

/**
 * If a deployment has a web application firewall, rejects requests that did not pass it, and takes the client's address from
 * there: API Gateway only sees that of CloudFront.
 */
export function requireEdge(): MiddlewareObj<EndpointEvent> {
  return {
    before: ({ event }) => {
      const { ORIGIN_SECRET, HOST_URL } = config();
      if (ORIGIN_SECRET === '') return;
      if (!isSameSecret(event.headers[ORIGIN_HEADER] ?? '', ORIGIN_SECRET))
        throw new ServiceError('forbidden', `Send requests to ${HOST_URL}.`);
      event.requestContext.http.sourceIp = event.headers[VIEWER_HEADER] ?? event.requestContext.http.sourceIp;
    },
  };
}
