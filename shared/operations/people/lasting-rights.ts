import { isMember, type TokenInfo } from '../../store/api-tokens.ts';
import { Refused } from '../outcome.ts';

/**
 * Refused for a token whose rights end, or that works in some networks only: what it gives a person would outlast it, as a
 * token that it creates cannot.
 */
export function refuseLimited(token: TokenInfo | null): Refused<'forbidden'> | undefined {
  if (token === null || isMember(token)) return undefined;
  if (token.expiresAt === null && token.networks.length === 0) return undefined;
  return new Refused(
    'forbidden',
    'A token that expires, or works in some networks only, cannot give people rights that outlast it. Use one without limits, or ask an admin or the operator.',
  );
}
