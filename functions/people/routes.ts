/** Routes of members and invitations. */
import * as z from 'zod/mini';
import { paginationQuery } from '../../shared/api/common.ts';
import { deleted } from '../../shared/api/domains.ts';
import {
  createdInvitation,
  invitation,
  invitationPath,
  member,
  memberPath,
} from '../../shared/api/members.ts';
import { operation as createInvitation } from '../../shared/operations/people/create-invitation.ts';
import { operation as deleteInvitation } from '../../shared/operations/people/delete-invitation.ts';
import { operation as removeMember } from '../../shared/operations/people/remove-member.ts';
import { operation as updateMember } from '../../shared/operations/people/update-member.ts';
import { created, data, named, paged, performs, reads } from '../route-kinds.ts';

const membersRead = ['organizations:read', 'token-uses:read'] as const;

export const routes = named({
  listMembers: {
    ...reads('/api/v1/members', { query: paginationQuery }),
    scope: 'admin',
    handler: 'people/list-members',
    summary: 'List the people who are members of the organization, oldest first',
    errorImpact: 'API clients cannot list members.',
    success: paged('A page of members', z.array(member)),
    uses: membersRead,
  },
  getMember: {
    ...reads('/api/v1/members/{id}', { path: memberPath }),
    scope: 'admin',
    handler: 'people/get-member',
    summary: 'Get a member',
    hasVersions: true,
    errorImpact: 'API clients cannot read a member.',
    success: data('The member', member),
    uses: membersRead,
  },
  updateMember: {
    ...performs('PATCH', '/api/v1/members/{id}', updateMember),
    handler: 'people/update-member',
    errorImpact: 'API clients cannot change the roles of members.',
    success: data('The member', member),
    uses: [...updateMember.uses, 'token-uses:read'],
  },
  removeMember: {
    ...performs('DELETE', '/api/v1/members/{id}', removeMember),
    handler: 'people/remove-member',
    errorImpact: 'API clients cannot remove members.',
    success: data('The member was removed', deleted),
  },
  listInvitations: {
    ...reads('/api/v1/invitations', { query: paginationQuery }),
    scope: 'admin',
    handler: 'people/list-invitations',
    summary: 'List the invitations that nobody accepted yet, oldest first',
    errorImpact: 'API clients cannot list invitations.',
    success: paged('A page of invitations', z.array(invitation)),
    uses: ['invitations:read'],
  },
  createInvitation: {
    ...performs('POST', '/api/v1/invitations', createInvitation),
    handler: 'people/create-invitation',
    errorImpact: 'API clients cannot invite people.',
    success: created(
      'The invitation, with the link that accepts it',
      createdInvitation,
      '/api/v1/invitations/{id}',
    ),
  },
  getInvitation: {
    ...reads('/api/v1/invitations/{id}', { path: invitationPath }),
    scope: 'admin',
    handler: 'people/get-invitation',
    summary: 'Get an invitation that nobody accepted yet',
    errorImpact: 'API clients cannot read an invitation.',
    success: data('The invitation', invitation),
    uses: ['invitations:read'],
  },
  deleteInvitation: {
    ...performs('DELETE', '/api/v1/invitations/{id}', deleteInvitation),
    handler: 'people/delete-invitation',
    errorImpact: 'API clients cannot withdraw invitations.',
    success: data('The invitation was withdrawn', deleted),
  },
});
