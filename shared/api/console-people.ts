/** Requests of the pages of the console about members. What fields contain is checked as in a request of the API. */
import * as z from 'zod/mini';
import { oneOf } from '../protocol/schema.ts';
import { paginationQuery } from './common.ts';
import { chosen, formToken, proof, text } from './console.ts';
import { invitationPath, memberPath } from './members.ts';

export const inviteForm = z.object({ formToken, proof, mail: text(254), role: text(10) });

export const withdrawForm = z.object({ formToken, id: invitationPath.shape.id });

export const roleForm = z.object({ formToken, proof, id: memberPath.shape.id, role: text(10) });

/** `created`: also the tokens that the person created. */
export const removeMemberForm = z.object({ formToken, proof, id: memberPath.shape.id, created: chosen });

export const switchForm = z.object({ formToken, organization: text(64) });

/** What an operator does: create an organization, limit it, pause it, or let it go on. */
export const operateForm = z.object({
  formToken,
  proof,
  do: oneOf(['create', 'limit', 'pause', 'resume']),
  id: text(64),
  name: text(200),
  /** Empty for the default of the service. */
  domains: text(9),
});

export const operatorQuery = z.object({ page: paginationQuery.shape.page });

export const preferencesForm = z.object({ formToken, proof, signInNotice: chosen });

/** An empty address turns the mails off. Tags are separated by commas. */
export const memberMailForm = z.object({
  formToken,
  proof,
  address: text(254),
  threshold: text(20),
  tags: text(1100),
});

/** What to ask about before it is done: removing a member, or leaving the organization. */
export const askAboutMembersQuery = z.object({
  about: oneOf(['member', 'leave']),
  id: z.optional(memberPath.shape.id),
});
