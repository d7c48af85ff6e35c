import type { MiddlewareObj } from '@middy/core';
import type { EndpointEvent } from '../endpoint-event.ts';
import { invalidRequest } from '../errors.ts';

/** Rejects requests with a token, and names the path that accepts one. */
export function refuseTokens(tokenPath: string): MiddlewareObj<EndpointEvent> {
  return {
    before: ({ event }) => {
      if (event.headers.authorization === undefined) return;
      throw invalidRequest({
        path: 'headers.authorization',
        message: `is not accepted here; send requests with a token to ${tokenPath}`,
      });
    },
  };
}
