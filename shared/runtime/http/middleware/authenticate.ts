import type { MiddlewareObj } from '@middy/core';
import { type Scope, validToken } from '../../../store/api-tokens.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { ServiceError } from '../errors.ts';
import { admit } from './admit.ts';

/** RFC 6750 section 2.1: the scheme in any case, then the token. Our tokens are never longer. */
const BEARER = /^Bearer +([\w~+/.-]{1,200}=*) *$/i;

/**
 * Sets the organization of a v1 request from its bearer token, if the token can be used from the client's address and
 * has the scope that the route needs. A revoked token stops working with the next request.
 */
export function authenticate(scope: Scope): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      const text = BEARER.exec(event.headers.authorization ?? '')?.[1];
      const token = text === undefined ? undefined : await validToken(itemStore(), text, clock.now());
      if (token === undefined) {
        throw new ServiceError('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
      }
      await admit(event, token, scope);
    },
  };
}
