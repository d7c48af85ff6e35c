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
import { named, performs, v1Errors, v1Read } from '../route-kinds.ts';

const membersRead = ['organizations:read', 'token-uses:read'] as const;

export const routes = named({
  listMembers: {
    ...v1Read,
    scope: 'admin',
    path: '/api/v1/members',
    handler: 'people/list-members',
    summary: 'List the people who are members of the organization, oldest first',
    errorImpact: 'API clients cannot list members.',
    request: { query: paginationQuery },
    success: { status: 200, description: 'A page of members', envelope: 'page', schema: z.array(member) },
    errors: ['invalid_request', ...v1Errors],
    uses: membersRead,
  },
  getMember: {
    ...v1Read,
    scope: 'admin',
    path: '/api/v1/members/{id}',
    handler: 'people/get-member',
    summary: 'Get a member',
    hasVersions: true,
    errorImpact: 'API clients cannot read a member.',
    request: { path: memberPath },
    success: { status: 200, description: 'The member', envelope: 'data', schema: member },
    errors: ['not_found', ...v1Errors],
    uses: membersRead,
  },
  updateMember: {
    ...performs('PATCH', updateMember),
    path: '/api/v1/members/{id}',
    handler: 'people/update-member',
    errorImpact: 'API clients cannot change the roles of members.',
    request: { path: updateMember.on, body: updateMember.input },
    success: { status: 200, description: 'The member', envelope: 'data', schema: member },
    uses: [...updateMember.uses, 'token-uses:read'],
  },
  removeMember: {
    ...performs('DELETE', removeMember),
    path: '/api/v1/members/{id}',
    handler: 'people/remove-member',
    errorImpact: 'API clients cannot remove members.',
    request: { path: removeMember.on, query: removeMember.input },
    success: { status: 200, description: 'The member was removed', envelope: 'data', schema: deleted },
  },
  listInvitations: {
    ...v1Read,
    scope: 'admin',
    path: '/api/v1/invitations',
    handler: 'people/list-invitations',
    summary: 'List the invitations that nobody accepted yet, oldest first',
    errorImpact: 'API clients cannot list invitations.',
    request: { query: paginationQuery },
    success: {
      status: 200,
      description: 'A page of invitations',
      envelope: 'page',
      schema: z.array(invitation),
    },
    errors: ['invalid_request', ...v1Errors],
    uses: ['invitations:read'],
  },
  createInvitation: {
    ...performs('POST', createInvitation),
    path: '/api/v1/invitations',
    handler: 'people/create-invitation',
    errorImpact: 'API clients cannot invite people.',
    request: { body: createInvitation.input },
    success: {
      status: 201,
      description: 'The invitation, with the link that accepts it',
      envelope: 'data',
      schema: createdInvitation,
      createsAt: '/api/v1/invitations/{id}',
    },
  },
  getInvitation: {
    ...v1Read,
    scope: 'admin',
    path: '/api/v1/invitations/{id}',
    handler: 'people/get-invitation',
    summary: 'Get an invitation that nobody accepted yet',
    errorImpact: 'API clients cannot read an invitation.',
    request: { path: invitationPath },
    success: { status: 200, description: 'The invitation', envelope: 'data', schema: invitation },
    errors: ['not_found', ...v1Errors],
    uses: ['invitations:read'],
  },
  deleteInvitation: {
    ...performs('DELETE', deleteInvitation),
    path: '/api/v1/invitations/{id}',
    handler: 'people/delete-invitation',
    errorImpact: 'API clients cannot withdraw invitations.',
    request: { path: deleteInvitation.on },
    success: { status: 200, description: 'The invitation was withdrawn', envelope: 'data', schema: deleted },
  },
});
