import type { MiddlewareObj } from '@middy/core';
import type { EndpointEvent } from '../endpoint-event.ts';
import { ServiceError } from '../errors.ts';

/**
 * Refuses to run a public tool for a page of another site that embeds its address as an image, a frame or a script, or
 * fetches it in advance (W3C Fetch Metadata): each visitor of that page would have checks run, as many as it likes. A link
 * that a visitor follows is a navigation to a document. Browsers without these headers are not affected.
 */
export function refuseForeignRuns(): MiddlewareObj<EndpointEvent> {
  return {
    before: ({ event }) => {
      const {
        'sec-fetch-site': site,
        'sec-fetch-dest': destination,
        'sec-purpose': purpose = '',
      } = event.headers;
      if (site !== 'cross-site') return;
      if (destination === 'document' && !purpose.includes('prefetch')) return;
      throw new ServiceError(
        'forbidden',
        'Other sites cannot run this check. Open this page itself instead.',
      );
    },
  };
}
