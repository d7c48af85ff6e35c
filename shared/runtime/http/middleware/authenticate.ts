import type { MiddlewareObj } from '@middy/core';
import { contains, parseIp, parsePrefix, unmapped } from '../../../protocol/ip.ts';
import { covers, recordTokenUse, type Scope, type TokenInfo, validToken } from '../../../store/api-tokens.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { ServiceError } from '../errors.ts';

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
      const now = clock.now();
      const token = text === undefined ? undefined : await validToken(itemStore(), text, now);
      if (token === undefined) {
        throw new ServiceError('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
      }
      event.organization = token.organization;
      event.token = token;
      if (!isAdmitted(event.requestContext.http.sourceIp, token)) {
        throw new ServiceError('forbidden', 'The API token cannot be used from this client address.');
      }
      if (!covers(token.scope, scope)) {
        throw new ServiceError(
          'forbidden',
          `This request needs an API token with the scope ${scope}; this one has ${token.scope}.`,
        );
      }
      await rememberUse(token, now.toISOString().slice(0, 10));
    },
  };
}

function isAdmitted(client: string, { networks }: TokenInfo): boolean {
  if (networks.length === 0) return true;
  const address = parseIp(client);
  if (address === undefined) return false;
  return networks.map(parsePrefix).some((network) => network && contains(network, unmapped(address)));
}

/** The day on which this process last recorded the use of each token, so that it writes once a day. */
const recorded = new Map<string, string>();

/** Above this number of tokens, the process starts again to record them. */
const MAX_RECORDED = 10_000;

async function rememberUse(token: TokenInfo, day: string): Promise<void> {
  if (recorded.get(token.id) === day) return;
  await recordTokenUse(itemStore(), token, day);
  if (recorded.size >= MAX_RECORDED) recorded.clear();
  recorded.set(token.id, day);
}
