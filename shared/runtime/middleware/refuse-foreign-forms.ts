import type { MiddlewareObj } from '@middy/core';
import type { EndpointEvent } from '../endpoint.ts';
import { invalidRequest } from '../errors.ts';

/**
 * Refuses forms that a page of another site makes a browser send (W3C Fetch Metadata). There is no session that such
 * a form could abuse; but what it causes would be counted against whoever happens to look at that page.
 */
export function refuseForeignForms(): MiddlewareObj<EndpointEvent> {
  return {
    before: ({ event }) => {
      const site = event.headers['sec-fetch-site'] ?? 'same-origin';
      if (site !== 'same-origin' && site !== 'none') {
        throw invalidRequest({ path: 'headers.sec-fetch-site', message: 'the form is of another site' });
      }
    },
  };
}
