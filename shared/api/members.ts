/** Requests and responses of the endpoints of members and invitations. */
import * as z from 'zod/mini';
import { oneLine } from '../protocol/one-line.ts';
import { described, oneOf, timestamp, uuid } from '../protocol/schema.ts';
import { roleOf, roles } from '../protocol/scope.ts';
import type { Member } from '../store/api-tokens.ts';
import type { Invitation } from '../store/invitations.ts';
import { idPath, missing } from './common.ts';
import { jsonObject } from './json-object.ts';

export const memberPath = idPath(missing.member);
export const invitationPath = idPath(missing.invitation);

const MAX_ADDRESS = 254;

export const role = described(
  oneOf(roles),
  '`viewer`: see what a token with the scope `read` can; `editor`: the same as `write`; `admin`: the same as `admin`',
);

const mail = 'jo@example.org';

export const member = z.object({
  id: described(uuid, 'ID of the member, which the audit log has in place of that of a token'),
  mail: described(z.string(), 'The address that the person was invited at', mail),
  role,
  joinedAt: described(timestamp, 'When the person accepted the invitation'),
  invitedBy: described(
    z.nullable(uuid),
    'ID of the token or member that invited the person; `null`: an operator did',
    null,
  ),
  lastUsedOn: described(
    z.nullable(z.iso.date()),
    'The last day (UTC) on which the person used the console; `null` if they did not yet',
  ),
});

export const updateMemberBody = jsonObject({ role });

/** What the person created can go with the membership. */
export const removeMemberQuery = z.object({
  created: described(
    z.optional(z.literal('revoke', 'must be "revoke"')),
    '`revoke`: also revoke the tokens that the person created and remove the members that they invited, with what these created, and so on, except who asks',
    'revoke',
  ),
});

export const createInvitationBody = jsonObject({
  mail: described(oneLine(MAX_ADDRESS), 'The mail address of the person', mail),
  role: z._default(role, 'viewer'),
});

export const invitation = z.object({
  id: described(uuid, 'ID of the invitation'),
  mail: described(z.string(), 'The mail address of the person', mail),
  role,
  createdAt: described(timestamp, 'When the invitation was made'),
  expiresAt: described(timestamp, 'Until when it can be accepted', '2099-12-31T23:59:59.000Z'),
  invitedBy: described(
    z.nullable(uuid),
    'ID of the token or member that made it; `null`: an operator did',
    null,
  ),
});

export const createdInvitation = z.object({
  ...invitation.shape,
  link: described(
    z.string(),
    'The link that accepts the invitation once, which is shown only in this response',
    'https://monitor.example.org/console/invitation?link=…',
  ),
  isMailed: described(
    z.boolean(),
    'Whether the link was sent to the address; otherwise, give it to the person yourself',
    true,
  ),
});

export const showMember = (
  { id, name, scope, createdAt, member: { invitedBy } }: Member,
  lastUsedOn: string | null,
): z.output<typeof member> => ({
  ...{ id, mail: name, role: roleOf(scope), joinedAt: createdAt, invitedBy, lastUsedOn },
});

export const showInvitation = ({
  id,
  mail,
  scope,
  createdAt,
  until,
  by,
}: Invitation): z.output<typeof invitation> => ({
  ...{ id, mail, role: roleOf(scope), createdAt, expiresAt: until, invitedBy: by?.id ?? null },
});
