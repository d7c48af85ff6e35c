import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { Abandoned } from '../../../network/abandon.ts';
import { areaOf } from '../../logging/log-lines.ts';
import { record } from '../../logging/metric.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { asRefusal, Redirect } from '../errors.ts';
import { type Presentation, presentError, responseHeaders } from '../presentation.ts';
import type { Route } from '../route.ts';
import { refererPath } from '../session-cookie.ts';

/** Turns errors into error responses. Unexpected errors are logged, and their details are not sent to the client. */
export function reportErrors(
  route: Route,
  presentation: Presentation,
): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  return {
    onError: (request) => {
      const { event, error } = request;
      if (error instanceof Redirect) {
        const headers = { ...responseHeaders, location: error.location, ...error.headers };
        request.response = { statusCode: 303, headers, body: '' };
        return;
      }
      const requestId = event.requestContext.requestId;
      const refusal = asRefusal(error);
      if (refusal === undefined && !(error instanceof Abandoned))
        record('unforeseen', { area: areaOf(route), route: route.name, requestId, error });
      request.response = presentError(refusal ?? error, requestId, presentation, againOf(event));
    },
  };
}

/** A page can be loaded again; loading the answer to a form again would send the form again. */
const againOf = ({ requestContext, headers }: EndpointEvent): string | undefined =>
  requestContext.http.method === 'POST' ? refererPath(headers) : '';
