import type * as z from 'zod/mini';
import { createTokenBody } from '../../api/tokens.ts';
import type { Clock } from '../../network/ports.ts';
import { contains, parseNetwork } from '../../protocol/ip.ts';
import type { NotificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { tokenCreatedWrites } from '../../store/alerts/pending.ts';
import { covers, type Scope, type TokenInfo } from '../../store/api-tokens.ts';
import { ConditionsFailed } from '../../store/items.ts';
import type { CreatedToken, OrganizationStore } from '../../store/organizations.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused, type Subject } from '../outcome.ts';

export const operation = {
  name: 'createToken',
  summary: 'Create an API token with at most the rights of the one in the request',
  scope: 'admin',
  input: createTokenBody,
  refusals: ['invalid_request', 'forbidden'],
  uses: ['organizations:write', 'tokens:write'],
} as const satisfies Operation;

/** How many valid tokens an organization can have, so that a list of them is one read. Operators can create more. */
const MAX_TOKENS = 100;

export interface CreateTokenDependencies {
  readonly organizations: Pick<OrganizationStore, 'listTokens' | 'createToken' | 'createTokenWithin'>;
  readonly notifications: Pick<NotificationSettingsStore, 'get'>;
  /** The prefix of tokens. */
  readonly label: string;
  /** The text of the token; by default a new one with 256 random bits. */
  readonly token?: string | undefined;
  readonly clock: Clock;
}

/**
 * Creates a token with at most the rights of that of the caller, and sends the organization a notice in the same
 * transaction. Operators can give any rights.
 */
export async function createToken(
  { organization, token: own }: CallerOf<typeof operation>,
  { name, ...wanted }: InputOf<typeof operation>,
  { organizations, notifications, label, token, clock }: CreateTokenDependencies,
): Promise<OutcomeOf<typeof operation, CreatedToken>> {
  const now = clock.now();
  const rights = settleRights(wanted, own, now);
  if (rights instanceof Refused) return rights;
  const settings = await notifications.get(organization);
  const notice = (info: TokenInfo) => tokenCreatedWrites(info, own, settings, now);
  const given = { name, label, ...(token !== undefined && { token }), ...rights };
  if (own === null) return done(await organizations.createToken(organization, given, now, notice));
  const creator = { hash: own.hash, creators: await creatorsWith(own, organizations) };
  try {
    const child = { ...given, creator };
    const created = await organizations.createTokenWithin(MAX_TOKENS, organization, child, now, notice);
    if (created !== undefined) return done(created);
    return new Refused('forbidden', `The organization has ${MAX_TOKENS} tokens. Delete one first.`);
  } catch (error) {
    if (!(error instanceof ConditionsFailed && error.failed.has(0))) throw error;
    return new Refused('forbidden', 'The token of this request was revoked.');
  }
}

const done = (value: CreatedToken): OutcomeOf<typeof operation, CreatedToken> => ({
  value,
  subjects: [
    {
      ...tokenSubjectOf(value.info),
      changes: changesBetween(null, {
        ...{ scope: value.info.scope, expiresAt: value.info.expiresAt, networks: value.info.networks },
      }),
    },
  ],
});

/** A token in the audit log. */
export const tokenSubjectOf = ({ id, name }: TokenInfo): Subject => ({ id, name });

/** The token and its creators that can still be revoked, the nearest first. */
async function creatorsWith(
  own: TokenInfo,
  organizations: Pick<OrganizationStore, 'listTokens'>,
): Promise<readonly string[]> {
  const others = await organizations.listTokens(own.organization);
  const revocable = new Set(others.flatMap(({ id, revokedAt }) => (revokedAt === null ? [id] : [])));
  return [own.id, ...own.creators.filter((id) => revocable.has(id))].slice(0, MAX_TOKENS);
}

interface Rights {
  readonly scope: Scope;
  readonly expiresAt: Date | null;
  readonly networks: readonly string[];
}

/**
 * The rights of a new token. Expiry and networks that are not given are those of the caller's own token; refused if they
 * exceed those. Operators have no token, and no such limits.
 */
export function settleRights(
  { scope, ...wanted }: Omit<z.output<typeof createTokenBody>, 'name'>,
  own: TokenInfo | null,
  now: Date,
): Rights | Refused<'invalid_request' | 'forbidden'> {
  const { expiresAt = own?.expiresAt ?? null, networks = own?.networks ?? [] } = wanted;
  const end = expiresAt === null ? null : new Date(expiresAt);
  if (end !== null && end <= now) return invalid({ path: 'expiresAt', message: 'must be in the future' });
  const rights = { scope, expiresAt: end, networks };
  const limit = own && exceeded(rights, own);
  if (limit === null) return rights;
  return new Refused('forbidden', `A token cannot create one with more rights than its own: ${limit}.`);
}

/** Which right of its own token is exceeded; null if none is. */
function exceeded({ scope, expiresAt, networks }: Rights, own: TokenInfo): string | null {
  if (!covers(own.scope, scope)) return `its scope is ${own.scope}`;
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > new Date(own.expiresAt)))
    return `it expires at ${own.expiresAt}`;
  return areWithin(networks, own.networks) ? null : `its networks are ${own.networks.join(', ')}`;
}

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
