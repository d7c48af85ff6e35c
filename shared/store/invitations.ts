/**
 * Invitations of mail addresses to organizations. The secret of a link has 256 random bits, and only its SHA-256 hash is
 * stored. Only a person of whom the identity provider says that the address is theirs can use it, once.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { isSameSecret } from '../protocol/same-secret.ts';
import { scopes } from '../protocol/scope.ts';
import { hashToken } from './api-tokens.ts';
import { orNull } from './item-schema.ts';
import { PRESENT } from './items.ts';
import { invitationKey, invitationsOf } from './keys.ts';
import { startingWith } from './query.ts';
import type { Table, Write } from './table.ts';
import { newId } from './time-ids.ts';

/** How long an invitation can be used. */
const INVITATION_SECONDS = 7 * 86_400;

/** Times are in ISO form, UTC. */
export const invitationItem = z.object({
  id: z.string(),
  organization: z.string(),
  secretHash: z.string(),
  /** In lowercase. */
  mail: z.string(),
  scope: z.enum(scopes),
  /** The token or member that made it, which has to remain that of an admin; null: an operator did. */
  by: orNull(z.object({ id: z.string(), hash: z.string(), name: z.string() })),
  createdAt: z.string(),
  until: z.string(),
});

export type Invitation = Readonly<z.infer<typeof invitationItem>>;

export type NewInvitation = Pick<Invitation, 'organization' | 'mail' | 'scope' | 'by'>;

export type InvitationStore = ReturnType<typeof invitationStore>;

export function invitationStore(table: Pick<Table, 'create' | 'delete' | 'get' | 'query'>) {
  return {
    /** Stores an invitation, and returns it with the text that its link has. */
    async create(
      given: NewInvitation,
      now: Date,
    ): Promise<{ readonly invitation: Invitation; readonly text: string }> {
      const secret = randomBytes(32).toString('base64url');
      const end = now.getTime() + INVITATION_SECONDS * 1000;
      const times = { createdAt: now.toISOString(), until: new Date(end).toISOString() };
      const invitation = { ...given, ...times, id: newId(now), secretHash: hashToken(secret) };
      const { organization, id } = invitation;
      await table.create({
        ...invitationKey(organization, id),
        ...invitation,
        expiresAt: Math.ceil(end / 1000),
      });
      return { invitation, text: [organization, id, secret].join('.') };
    },

    /** Those that can still be used, oldest first. */
    async list(organization: string, now: Date): Promise<Invitation[]> {
      const query = { ...startingWith(invitationsOf(organization)), ConsistentRead: true };
      const found = await table.query(query, invitationItem);
      return found.filter(({ until }) => until > now.toISOString());
    },

    /** The invitation that a link has. Undefined if it is unknown, used, withdrawn or expired; callers cannot tell which. */
    async find(text: string, now: Date): Promise<Invitation | undefined> {
      const [, organization, id, secret] = TEXT.exec(text) ?? [];
      if (organization === undefined || id === undefined || secret === undefined) return undefined;
      const found = await table.get(invitationKey(organization, id), invitationItem);
      if (found === undefined || found.until <= now.toISOString()) return undefined;
      return isSameSecret(hashToken(secret), found.secretHash) ? found : undefined;
    },

    /** Withdraws an invitation. Returns false if there is none with this ID. */
    remove: (organization: string, id: string): Promise<boolean> =>
      table.delete(invitationKey(organization, id), PRESENT),
  };
}

/** The organization, the ID of the invitation, and the secret. */
const TEXT = /^([\w-]{1,64})\.([\w-]{36})\.([\w-]{43})$/;

/** The write that uses an invitation up, on condition that it can be used. */
export const invitationUse = (
  { organization, id, secretHash }: Pick<Invitation, 'organization' | 'id' | 'secretHash'>,
  now: Date,
): Write => ({
  Delete: {
    Key: invitationKey(organization, id),
    ConditionExpression: 'secretHash = :hash AND #until > :now',
    ExpressionAttributeNames: { '#until': 'until' },
    ExpressionAttributeValues: { ':hash': secretHash, ':now': now.toISOString() },
  },
});
