import type { MiddlewareObj } from '@middy/core';
import { organizationStore } from '../../store/organizations.ts';
import type { EndpointEvent } from '../endpoint.ts';
import { ServiceError } from '../errors.ts';
import { clock, table } from '../services.ts';

/** RFC 6750 section 2.1: the scheme in any case, then the token. Longer than any token of ours is none. */
const BEARER = /^Bearer +([\w~+/.-]{1,200}=*) *$/i;

/** Finds the organization of a v1 request by its bearer token; a revoked token ends with the very next request. */
export function authenticate(): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      const token = BEARER.exec(event.headers.authorization ?? '')?.[1];
      const organization =
        token === undefined ? undefined : await organizationStore(table()).authenticate(token, clock.now());
      if (organization === undefined) {
        throw new ServiceError('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
      }
      event.organization = organization;
    },
  };
}
