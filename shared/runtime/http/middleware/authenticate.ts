import type { MiddlewareObj } from '@middy/core';
import { organizationOfToken } from '../../../store/api-tokens.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { ServiceError } from '../errors.ts';

/** RFC 6750 section 2.1: the scheme in any case, then the token. Our tokens are never longer. */
const BEARER = /^Bearer +([\w~+/.-]{1,200}=*) *$/i;

/** Sets the organization of a v1 request from its bearer token. A revoked token stops working with the next request. */
export function authenticate(): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      const token = BEARER.exec(event.headers.authorization ?? '')?.[1];
      const organization =
        token === undefined ? undefined : await organizationOfToken(itemStore(), token, clock.now());
      if (organization === undefined) {
        throw new ServiceError('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
      }
      event.organization = organization;
    },
  };
}
