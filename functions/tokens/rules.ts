/** How tokens are created and revoked, by the API and by the console. */
import type * as z from 'zod/mini';
import { missing } from '../../shared/api/common.ts';
import { type createTokenBody, showToken, type token } from '../../shared/api/tokens.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { contains, parseNetwork } from '../../shared/protocol/ip.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import { covers, type Scope, type TokenInfo } from '../../shared/store/api-tokens.ts';
import type { OrganizationStore } from '../../shared/store/organizations.ts';

type Wanted = Pick<z.output<typeof createTokenBody>, 'scope' | 'expiresAt' | 'networks'>;

/** How many valid tokens an organization can have, so that a list of them is one read. */
const MAX_TOKENS = 100;

export interface TokenDependencies {
  readonly organizations: Pick<
    OrganizationStore,
    'listTokens' | 'tokenUses' | 'createTokenWithin' | 'revokeToken'
  >;
  readonly clock: Clock;
}

/** Tokens that were not revoked, oldest first, with the day of their last use. */
export async function tokensOf(
  organization: string,
  { organizations }: Pick<TokenDependencies, 'organizations'>,
): Promise<z.output<typeof token>[]> {
  const [tokens, uses] = await Promise.all([
    organizations.listTokens(organization),
    organizations.tokenUses(organization),
  ]);
  // Few enough to be sorted here: their number is limited, and those that ended leave the list.
  const kept = tokens.filter(({ revokedAt }) => revokedAt === null);
  return kept.map((one) => showToken(one, uses.get(one.id) ?? null));
}

/** Creates a token with at most the rights of `own`. @throws ServiceError `forbidden`, `invalid_request`. */
export async function createToken(
  body: z.output<typeof createTokenBody>,
  own: TokenInfo,
  { organizations, label, clock }: TokenDependencies & { readonly label: string },
) {
  const now = clock.now();
  const rights = settleRights(body, own, now);
  const given = { name: body.name, label, ...rights };
  const created = await organizations.createTokenWithin(MAX_TOKENS, own.organization, given, now);
  if (created === undefined) {
    throw new ServiceError('forbidden', `The organization has ${MAX_TOKENS} tokens. Delete one first.`);
  }
  return created;
}

/** Revokes a token, and returns what it was. @throws ServiceError `not_found`. */
export async function revokeToken(
  organization: string,
  id: string,
  { organizations, clock }: TokenDependencies,
): Promise<TokenInfo> {
  const tokens = await organizations.listTokens(organization);
  const found = tokens.find((one) => one.id === id && one.revokedAt === null);
  if (found === undefined || !(await organizations.revokeToken(found, clock.now())))
    throw new ServiceError('not_found', missing.token);
  return found;
}

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
