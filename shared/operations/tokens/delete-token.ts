import { missing, tokenPath } from '../../api/common.ts';
import { deleteTokenQuery } from '../../api/tokens.ts';
import { roleOf } from '../../protocol/scope.ts';
import { isMember, type TokenInfo } from '../../store/api-tokens.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import { changesBetween } from '../changes.ts';
import type { Caller, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused, type Subject } from '../outcome.ts';
import { type EndMemberDependencies, endMember } from '../people/end-member.ts';
import { tokenSubjectOf } from './create-token.ts';

export const operation = {
  name: 'deleteToken',
  summary: 'Revoke an API token at once, and on request what it created',
  scope: 'admin',
  on: tokenPath,
  input: deleteTokenQuery,
  refusals: ['invalid_request', 'not_found'],
  uses: ['organizations:write', 'tokens:write', 'token-uses:write', 'people:write', 'invitations:write'],
} as const satisfies Operation;

/**
 * How often what a token created is looked for while it is revoked: tokens that are not revoked yet can create further
 * ones meanwhile.
 */
const MAX_ROUNDS = 10;

export interface DeleteTokenDependencies extends EndMemberDependencies {
  readonly organizations: Pick<OrganizationStore, 'listTokens' | 'revokeToken'>;
}

/**
 * Revokes a token, and on request also the tokens that it created and the members that it invited, what these created, and so
 * on. Returns what was revoked, the token itself first. With what it created, the token can be revoked already: then this completes what a
 * crash interrupted.
 */
export async function deleteToken(
  { organization, token: own }: Pick<Caller, 'organization' | 'token'>,
  { id, created }: InputOf<typeof operation>,
  deps: DeleteTokenDependencies,
): Promise<OutcomeOf<typeof operation, readonly [TokenInfo, ...TokenInfo[]]>> {
  const { organizations, clock } = deps;
  const withCreated = created === 'revoke';
  const tokens = await organizations.listTokens(organization);
  const found = tokens.find(
    (one) => one.id === id && !isMember(one) && (withCreated || one.revokedAt === null),
  );
  if (found === undefined) return noSuchToken();
  // It first: then it creates no further ones.
  const isRevoked = found.revokedAt === null && (await organizations.revokeToken(found, clock.now()));
  // Of several requests at the same time, one revokes it.
  if (!isRevoked && !withCreated) return noSuchToken();
  const others = withCreated ? await revokeCreatedBy(found, own, deps) : [];
  return { value: [found, ...others], subjects: [found, ...others].map(endedSubjectOf) };
}

/**
 * Revokes what a token or member created that can create nothing more, removes the members that it invited, and so on with what
 * these created. Returns what was revoked.
 * @param own Who asks. A member who does stays, with what they created: so an admin remains who can invite the others again.
 */
export async function revokeCreatedBy(
  { organization, id }: Pick<TokenInfo, 'organization' | 'id'>,
  own: TokenInfo | null,
  deps: DeleteTokenDependencies,
): Promise<readonly TokenInfo[]> {
  const revoked: TokenInfo[] = [];
  for (let round = 0; ; round += 1) {
    const listed = await deps.organizations.listTokens(organization);
    const left = createdBy(
      id,
      listed.filter((one) => !isMember(one) || one.id !== own?.id),
    );
    if (left.length === 0) return revoked;
    if (round === MAX_ROUNDS) throw new Error(`tokens that ${id} created still create further ones`);
    for (const one of left) if (await ended(one, deps)) revoked.push(one);
  }
}

const ended = (one: TokenInfo, deps: DeleteTokenDependencies): Promise<boolean> =>
  isMember(one) ? endMember(one, undefined, deps) : deps.organizations.revokeToken(one, deps.clock.now());

/** A token, or a member with the role that ended, in the audit log. */
export const endedSubjectOf = (one: TokenInfo): Subject => ({
  ...tokenSubjectOf(one),
  ...(isMember(one) && { changes: changesBetween({ role: roleOf(one.scope) }, null) }),
});

const noSuchToken = (): Refused<'not_found'> => new Refused('not_found', missing.token);

/** The tokens and members in a list that were not revoked and that come from the one with this ID, directly or not. */
function createdBy(id: string, listed: readonly TokenInfo[]): readonly TokenInfo[] {
  const ids = new Set([id]);
  // A list of tokens of the same millisecond is in any order, so a token can be before its creator.
  for (let known = 0; known !== ids.size; ) {
    known = ids.size;
    for (const one of listed) if (makersOf(one).some((maker) => ids.has(maker))) ids.add(one.id);
  }
  return listed.filter((one) => one.revokedAt === null && one.id !== id && ids.has(one.id));
}

/** Who created a token, or invited a member. */
const makersOf = (one: TokenInfo): readonly string[] =>
  isMember(one) && one.member.invitedBy !== null ? [one.member.invitedBy] : one.creators;
