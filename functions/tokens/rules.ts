/** The rights of a new token: at most those of the token that creates it. */
import type * as z from 'zod/mini';
import type { createTokenBody } from '../../shared/api/tokens.ts';
import { contains, parseNetwork } from '../../shared/protocol/ip.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import { covers, type Scope, type TokenInfo } from '../../shared/store/api-tokens.ts';

type Wanted = Pick<z.output<typeof createTokenBody>, 'scope' | 'expiresAt' | 'networks'>;

export interface Rights {
  readonly scope: Scope;
  readonly expiresAt: Date | null;
  readonly networks: readonly string[];
}

/**
 * Expiry and networks that are not given are those of the own token.
 * @throws ServiceError `forbidden` if they exceed those of the own token, `invalid_request` if the expiry is past.
 */
export function settleRights(wanted: Wanted, own: TokenInfo, now: Date): Rights {
  const { scope, expiresAt = own.expiresAt, networks = own.networks } = wanted;
  const end = expiresAt === null ? null : new Date(expiresAt);
  if (end !== null && end <= now)
    throw invalidRequest({ path: 'body.expiresAt', message: 'must be in the future' });
  if (!covers(own.scope, scope)) throw tooMuch(`its scope is ${own.scope}`);
  if (own.expiresAt !== null && (end === null || end > new Date(own.expiresAt)))
    throw tooMuch(`it expires at ${own.expiresAt}`);
  if (!areWithin(networks, own.networks)) throw tooMuch(`its networks are ${own.networks.join(', ')}`);
  return { scope, expiresAt: end, networks };
}

const tooMuch = (limit: string): ServiceError =>
  new ServiceError('forbidden', `A token cannot create one with more rights than its own: ${limit}.`);

/** Whether each of the networks is within one of the others; an empty list is the whole internet. */
function areWithin(networks: readonly string[], others: readonly string[]): boolean {
  if (others.length === 0) return true;
  const outer = others.map(parseNetwork);
  const isWithin = (text: string) => {
    const network = parseNetwork(text);
    return network !== undefined && outer.some((one) => one && contains(one, network));
  };
  return networks.length > 0 && networks.every(isWithin);
}
