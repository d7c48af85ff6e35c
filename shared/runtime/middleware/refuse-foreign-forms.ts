import type { MiddlewareObj } from '@middy/core';
import { config } from '../config.ts';
import type { EndpointEvent } from '../endpoint.ts';
import { invalidRequest } from '../errors.ts';

/**
 * Refuses forms that a page of another site makes a browser send (W3C Fetch Metadata). There is no session that such
 * a form could abuse; but what it causes would be counted against whoever happens to look at that page. Browsers leave
 * Sec-Fetch-Site out where the service is reached by plain HTTP; then the origin tells, which a program has none of.
 */
export function refuseForeignForms(): MiddlewareObj<EndpointEvent> {
  return {
    before: ({ event }) => {
      const { 'sec-fetch-site': site, origin, host } = event.headers;
      if (site === undefined ? isForeign(origin, host) : site !== 'same-origin' && site !== 'none') {
        const path = site === undefined ? 'headers.origin' : 'headers.sec-fetch-site';
        throw invalidRequest({ path, message: 'the form is of another site' });
      }
    },
  };
}

/** Own are the origin that the service is known by, and the one that this request was sent to. */
function isForeign(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return false;
  return ![new URL(config().HOST_URL).origin, `http://${host}`, `https://${host}`].includes(origin);
}
