/** How tokens are created and revoked, by the API and by the console. */
import type * as z from 'zod/mini';
import { missing } from '../../shared/api/common.ts';
import { type createTokenBody, showToken, type token } from '../../shared/api/tokens.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { contains, parseNetwork } from '../../shared/protocol/ip.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import {
  type NotificationSettingsStore,
  notificationSettingsStore,
} from '../../shared/store/alerts/notification-settings.ts';
import { tokenCreatedWrites } from '../../shared/store/alerts/pending.ts';
import { covers, type Scope, type TokenInfo } from '../../shared/store/api-tokens.ts';
import { ConditionsFailed } from '../../shared/store/items.ts';
import {
  type NewToken,
  type OrganizationStore,
  organizationStore,
} from '../../shared/store/organizations.ts';

type Wanted = Pick<z.output<typeof createTokenBody>, 'scope' | 'expiresAt' | 'networks'>;

/** How many valid tokens an organization can have, so that a list of them is one read. */
const MAX_TOKENS = 100;

/**
 * How often what a token created is looked for while it is revoked: tokens that are not revoked yet can create further
 * ones meanwhile.
 */
const MAX_ROUNDS = 10;

export interface TokenDependencies {
  readonly organizations: Pick<
    OrganizationStore,
    'listTokens' | 'tokenUses' | 'createToken' | 'createTokenWithin' | 'revokeToken'
  >;
  readonly notifications: Pick<NotificationSettingsStore, 'get'>;
  readonly clock: Clock;
}

export const tokenDependencies = (): TokenDependencies => ({
  organizations: organizationStore(table()),
  notifications: notificationSettingsStore(table()),
  clock,
});

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
  { label, ...deps }: TokenDependencies & { readonly label: string },
) {
  const { organizations, clock } = deps;
  const now = clock.now();
  const rights = settleRights(body, own, now);
  const others = await organizations.listTokens(own.organization);
  const revocable = new Set(others.flatMap(({ id, revokedAt }) => (revokedAt === null ? [id] : [])));
  const creators = [own.id, ...own.creators.filter((id) => revocable.has(id))].slice(0, MAX_TOKENS);
  const given = { name: body.name, label, ...rights, creator: { hash: own.hash, creators } };
  try {
    const notice = await noticeOf(own.organization, own, deps);
    const created = await organizations.createTokenWithin(MAX_TOKENS, own.organization, given, now, notice);
    if (created !== undefined) return created;
    throw new ServiceError('forbidden', `The organization has ${MAX_TOKENS} tokens. Delete one first.`);
  } catch (error) {
    if (!(error instanceof ConditionsFailed && error.failed.has(0))) throw error;
    throw new ServiceError('forbidden', 'The token of this request was revoked.');
  }
}

/**
 * Stores a new token, and sends the organization a notice in the same transaction.
 * @param creator The token that creates it; null for an operator.
 */
export async function issueToken(
  organization: string,
  given: NewToken,
  creator: TokenInfo | null,
  deps: Omit<TokenDependencies, 'organizations'> & {
    readonly organizations: Pick<OrganizationStore, 'createToken'>;
  },
) {
  const notice = await noticeOf(organization, creator, deps);
  return deps.organizations.createToken(organization, given, deps.clock.now(), notice);
}

/** The writes that send the organization a notice of a new token. */
async function noticeOf(
  organization: string,
  creator: TokenInfo | null,
  { notifications, clock }: Pick<TokenDependencies, 'notifications' | 'clock'>,
) {
  const settings = await notifications.get(organization);
  return (info: TokenInfo) => tokenCreatedWrites(info, creator, settings, clock.now());
}

/**
 * Revokes a token, and with `created` also the tokens that it created, those that these created, and so on. Returns what
 * was revoked, the token itself first. With `created`, the token can be revoked already: then this completes what a crash
 * interrupted.
 * @throws ServiceError `not_found`.
 */
export async function revokeToken(
  organization: string,
  id: string,
  { organizations, clock }: Pick<TokenDependencies, 'organizations' | 'clock'>,
  { created = false } = {},
): Promise<readonly [TokenInfo, ...TokenInfo[]]> {
  const tokens = await organizations.listTokens(organization);
  const found = tokens.find((one) => one.id === id && (created || one.revokedAt === null));
  if (found === undefined) throw new ServiceError('not_found', missing.token);
  // It first: then it creates no further ones.
  const isRevoked = found.revokedAt === null && (await organizations.revokeToken(found, clock.now()));
  // Of several requests at the same time, one revokes it.
  if (!isRevoked && !created) throw new ServiceError('not_found', missing.token);
  const others: TokenInfo[] = [];
  for (let round = 0; created; round += 1) {
    const left = createdBy(id, await organizations.listTokens(organization));
    if (left.length === 0) break;
    if (round === MAX_ROUNDS) throw new Error(`tokens that ${id} created still create further ones`);
    for (const one of left) if (await organizations.revokeToken(one, clock.now())) others.push(one);
  }
  return [found, ...others];
}

/** The tokens in a list that were not revoked and that the token with this ID created, directly or not. */
function createdBy(id: string, listed: readonly TokenInfo[]): readonly TokenInfo[] {
  const ids = new Set([id]);
  // A list of tokens of the same millisecond is in any order, so a token can be before its creator.
  for (let known = 0; known !== ids.size; ) {
    known = ids.size;
    for (const one of listed) if (one.creators.some((creator) => ids.has(creator))) ids.add(one.id);
  }
  return listed.filter((one) => one.revokedAt === null && one.id !== id && ids.has(one.id));
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
