import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { Abandoned } from '../../../network/abandon.ts';
import { Contended } from '../../../store/contention.ts';
import { areaOf } from '../../logging/log-lines.ts';
import { record } from '../../logging/metric.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { Redirect, rateLimited, ServiceError } from '../errors.ts';
import { type Presentation, presentError, responseHeaders } from '../presentation.ts';
import type { Route } from '../route.ts';

/** Turns errors into error responses. Unexpected errors are logged, and their details are not sent to the client. */
export function reportErrors(
  route: Route,
  presentation: Presentation,
): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  return {
    onError: (request) => {
      const { event } = request;
      const error = request.error instanceof Contended ? contended() : request.error;
      if (error instanceof Redirect) {
        const headers = { ...responseHeaders, location: error.location, ...error.headers };
        request.response = { statusCode: 303, headers, body: '' };
        return;
      }
      const requestId = event.requestContext.requestId;
      if (!(error instanceof ServiceError || error instanceof Abandoned))
        record('unforeseen', { area: areaOf(route), route: route.name, requestId, error });
      request.response = presentError(error, requestId, presentation);
    },
  };
}

/** The time after which a request can be sent again that other changes of the same resource came before. */
const CONTENDED_MILLISECONDS = 1000;

const contended = (): ServiceError =>
  rateLimited(
    CONTENDED_MILLISECONDS,
    'Too many requests change this resource at the same time. Try again in 1 s.',
  );
