import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { config } from '../config.ts';
import type { EndpointEvent } from '../endpoint.ts';
import { ServiceError } from '../errors.ts';
import { createLog } from '../log.ts';
import { type Presentation, presentError } from '../presentation.ts';

/** Answers with whatever was thrown. What we did not foresee is logged, and tells callers nothing. */
export function reportErrors(
  presentation: Presentation,
): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2> {
  return {
    onError: (request) => {
      const { error, event } = request;
      const requestId = event.requestContext.requestId;
      if (!(error instanceof ServiceError))
        createLog(config().LOG_LEVEL).error('unforeseen', { requestId, error });
      request.response = presentError(error, requestId, presentation);
    },
  };
}
