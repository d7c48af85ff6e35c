import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { EndpointEvent } from '../endpoint.ts';
import { ServiceError } from '../errors.ts';
import { areaOf } from '../log-lines.ts';
import { record } from '../metric.ts';
import { type Presentation, presentError } from '../presentation.ts';
import type { Route } from '../route.ts';

/** Answers with whatever was thrown. What we did not foresee is logged, and tells callers nothing. */
export function reportErrors(
  route: Route,
  presentation: Presentation,
): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  return {
    onError: (request) => {
      const { error, event } = request;
      const requestId = event.requestContext.requestId;
      if (!(error instanceof ServiceError))
        record('unforeseen', { area: areaOf(route), route: route.name, requestId, error });
      request.response = presentError(error, requestId, presentation);
    },
  };
}
