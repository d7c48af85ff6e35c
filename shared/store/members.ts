/**
 * Members of an organization: people who sign in to the console through the identity provider. What a member may do is a
 * token of the organization whose text nobody knows, so that everything that a token ends or limits applies to people, too.
 * A person can be a member of several organizations; each has one token for them.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { isMember, type Member, type Scope, type TokenInfo, tokenItem } from './api-tokens.ts';
import { allOf, having, updateAt } from './changes.ts';
import { type Invitation, invitationItem, invitationUse } from './invitations.ts';
import { ABSENT } from './items.ts';
import {
  invitationKey,
  invitationsOf,
  type Key,
  membershipKey,
  membershipsOf,
  organizationTokenKey,
  tokenKey,
} from './keys.ts';
import { newToken, revocation, UNREVOKED } from './organizations.ts';
import { startingWith } from './query.ts';
import type { Table, Write } from './table.ts';

/** In the partition of the person. */
const membershipItem = z.object({
  organization: z.string(),
  tokenHash: z.string(),
  /** Whether it makes the person an operator of the service. The right ends with the membership. */
  operator: z._default(z.boolean(), false),
});

type Membership = z.infer<typeof membershipItem>;

/** The condition that a token is that of an admin, and was not revoked. */
const ADMIN = allOf(UNREVOKED, having({ scope: 'admin' }));

/** Somebody whom the identity provider knows. */
export interface ProvenPerson {
  /** The URL of the provider. */
  readonly issuer: string;
  /** What the provider calls the person; it never changes, and is never given to somebody else. */
  readonly subject: string;
}

/**
 * The ID of a person, from what identifies them (OpenID Connect Core 1.0, section 5.7): a mail address can be given to
 * somebody else. In hexadecimal.
 */
export const personIdOf = ({ issuer, subject }: ProvenPerson): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');

export type MemberStore = ReturnType<typeof memberStore>;

export function memberStore(table: Pick<Table, 'get' | 'query' | 'tryTransact'>) {
  return {
    /**
     * Makes a person a member, and uses the invitation up. Undefined if it was used meanwhile, if who made it may no longer
     * invite anybody, or if the person is a member already.
     */
    async join(
      { organization, id, secretHash, mail, scope, by }: Invitation,
      person: string,
      now: Date,
    ): Promise<Member | undefined> {
      const member = { person, invitedBy: by?.id ?? null };
      const { created, writes } = newToken(organization, { name: mail, label: 'member', scope, member }, now);
      const { info } = created;
      if (!isMember(info)) throw new Error('the token of a member is none');
      const failed = await table.tryTransact([
        invitationUse({ organization, id, secretHash }, now),
        {
          Put: {
            Item: { ...membershipKey(person, organization), organization, tokenHash: info.hash },
            ...ABSENT,
          },
        },
        ...writes,
        ...(by === null ? [] : [{ ConditionCheck: { Key: tokenKey(by.hash), ...ADMIN } }]),
      ]);
      return failed.size === 0 ? info : undefined;
    },

    /** What the person may do in each of their organizations, in the order of the IDs of these. */
    async of(person: string): Promise<Member[]> {
      return validOf(person, await membershipsFor(person));
    },

    /** Whether one of the person's memberships makes them an operator of the service. */
    async isOperator(person: string): Promise<boolean> {
      const operating = (await membershipsFor(person)).filter(({ operator }) => operator);
      return (await validOf(person, operating)).length > 0;
    },

    /** Those of these members whose membership makes them operators of the service. */
    async operatorsAmong(members: readonly Member[]): Promise<Member[]> {
      const found = await Promise.all(
        members.map(async (one) => {
          const { person } = one.member;
          const membership = await table.get(membershipKey(person, one.organization), membershipItem);
          return membership?.operator && membership.tokenHash === one.hash ? one : undefined;
        }),
      );
      return found.filter((one) => one !== undefined);
    },

    /** Makes a member an operator of the service, or takes that back. Returns false if the membership ended. */
    async setOperator({ hash, organization, member }: Member, isOperator: boolean): Promise<boolean> {
      const key = membershipKey(member.person, organization);
      const Update = updateAt(key, { operator: isOperator }, having({ tokenHash: hash }));
      return (await table.tryTransact([{ Update }])).size === 0;
    },

    /**
     * Changes what a member may do, at once. Returns false if it changed meanwhile.
     * @param other Another admin, who has to remain one if this one is the last otherwise.
     */
    async changeScope(
      { organization, hash, scope: before }: Member,
      scope: Scope,
      other: TokenInfo | undefined,
    ): Promise<boolean> {
      const isSame = allOf(UNREVOKED, having({ scope: before }));
      const change = (key: Key): Write => ({ Update: updateAt(key, { scope }, isSame) });
      const failed = await table.tryTransact([
        change(tokenKey(hash)),
        change(organizationTokenKey(organization, hash)),
        ...remaining(other),
      ]);
      return failed.size === 0;
    },

    /**
     * Ends a membership, its sessions, and open invitations of the address, at once. Returns false if it ended or changed
     * meanwhile. @param other As above.
     */
    async remove(member: Member, other: TokenInfo | undefined, now: Date): Promise<boolean> {
      const { organization, name } = member;
      const query = { ...startingWith(invitationsOf(organization)), ConsistentRead: true };
      const open = (await table.query(query, invitationItem)).filter(({ mail }) => mail === name);
      const failed = await table.tryTransact([
        ...revocation(member, now),
        { Delete: { Key: membershipKey(member.member.person, member.organization) } },
        ...open.map(({ id }) => ({ Delete: { Key: invitationKey(organization, id) } })),
        ...remaining(other),
      ]);
      return failed.size === 0;
    },
  };

  function membershipsFor(person: string): Promise<Membership[]> {
    return table.query({ ...startingWith(membershipsOf(person)), ConsistentRead: true }, membershipItem);
  }

  async function validOf(person: string, memberships: readonly Membership[]): Promise<Member[]> {
    const tokens = await Promise.all(
      memberships.map(({ tokenHash }) => table.get(tokenKey(tokenHash), tokenItem)),
    );
    return tokens
      .filter((one) => one !== undefined)
      .filter(isMember)
      .filter((one) => one.revokedAt === null && one.member.person === person);
  }
}

/** On the condition that another admin remains one: then of two admins who remove each other at the same time, one stays. */
const remaining = (other: TokenInfo | undefined): readonly Write[] =>
  other === undefined ? [] : [{ ConditionCheck: { Key: tokenKey(other.hash), ...ADMIN } }];
