import type { MiddlewareObj } from '@middy/core';
import { config } from '../../config/config.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { invalidRequest } from '../errors.ts';

/**
 * Rejects cross-site form submissions (W3C Fetch Metadata). Those to public tools would count against the rate limit of
 * the visitor; those to the console would use the visitor's session, whose forms have a token as well. Browsers omit
 * Sec-Fetch-Site over plain HTTP; then Origin is checked, which only browsers send.
 */
export function refuseForeignForms(): MiddlewareObj<EndpointEvent> {
  return {
    before: ({ event }) => {
      const { 'sec-fetch-site': site, origin, host } = event.headers;
      if (site === undefined ? isForeign(origin, host) : site !== 'same-origin' && site !== 'none') {
        const path = site === undefined ? 'headers.origin' : 'headers.sec-fetch-site';
        throw invalidRequest({ path, message: 'must not be from another site' });
      }
    },
  };
}

/** The own origins are the configured one, and the one that the request was sent to. */
function isForeign(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return false;
  return ![new URL(config().HOST_URL).origin, `http://${host}`, `https://${host}`].includes(origin);
}
