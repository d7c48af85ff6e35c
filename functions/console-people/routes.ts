/** Routes of the pages of the console about members. */
import { buttonForm } from '../../shared/api/console.ts';
import {
  askAboutMembersQuery,
  inviteForm,
  memberMailForm,
  operateForm,
  operatorQuery,
  preferencesForm,
  removeMemberForm,
  roleForm,
  switchForm,
  withdrawForm,
} from '../../shared/api/console-people.ts';
import { operation as changeMemberMail } from '../../shared/operations/people/change-member-mail.ts';
import { operation as changePreferences } from '../../shared/operations/people/change-preferences.ts';
import { operation as createInvitation } from '../../shared/operations/people/create-invitation.ts';
import { operation as deleteInvitation } from '../../shared/operations/people/delete-invitation.ts';
import { operation as leave } from '../../shared/operations/people/leave.ts';
import { operation as removeMember } from '../../shared/operations/people/remove-member.ts';
import { operation as switchOrganization } from '../../shared/operations/people/switch-organization.ts';
import { operation as updateMember } from '../../shared/operations/people/update-member.ts';
import { confirms, consoleErrors, consolePage, named, page, shows, submits } from '../route-kinds.ts';

const MEMBERS = '/console/members';
const OPERATOR = '/console/operator';

export const routes = named({
  showMembers: {
    ...shows(MEMBERS, {}),
    scope: 'admin',
    handler: 'console-people/show',
    summary: 'Show the members of the organization and open invitations in the console',
    errorImpact: 'Visitors cannot see the members of their organization in the console.',
    // Once, it has the link of an invitation.
    success: { ...page, status: 200, description: 'The page', isConfidential: true },
    uses: ['organizations:read', 'token-uses:read', 'invitations:read'],
  },
  askAboutMembers: {
    ...shows('/console/members/ask', { query: askAboutMembersQuery }),
    handler: 'console-people/ask',
    summary: 'Ask before somebody is removed from the organization, or leaves it',
    errorImpact: 'Visitors cannot remove members or leave their organization in the console.',
    errors: [...consoleErrors, 'not_found'],
    uses: ['organizations:read', 'token-uses:read'],
  },
  inviteInConsole: {
    ...confirms(createInvitation, MEMBERS, 'the members'),
    path: '/console/members/invite',
    handler: 'console-people/invite',
    summary: 'Invite a person from the console',
    errorImpact: 'Visitors cannot invite people in the console.',
    request: { form: inviteForm },
  },
  withdrawInConsole: {
    ...submits(deleteInvitation, MEMBERS, 'the members'),
    path: '/console/members/withdraw',
    handler: 'console-people/withdraw',
    summary: 'Withdraw an invitation from the console',
    errorImpact: 'Visitors cannot withdraw invitations in the console.',
    request: { form: withdrawForm },
  },
  changeRoleInConsole: {
    ...confirms(updateMember, MEMBERS, 'the members'),
    path: '/console/members/role',
    handler: 'console-people/change-role',
    summary: 'Change the role of a member from the console',
    errorImpact: 'Visitors cannot change roles in the console.',
    request: { form: roleForm },
  },
  removeMemberInConsole: {
    ...confirms(removeMember, MEMBERS, 'the members'),
    path: '/console/members/remove',
    handler: 'console-people/remove',
    summary: 'Remove a member from the console',
    errorImpact: 'Visitors cannot remove members in the console.',
    request: { form: removeMemberForm },
  },
  switchOrganization: {
    ...submits(switchOrganization, '/console/settings', 'the other organization'),
    path: '/console/members/switch',
    handler: 'console-people/switch',
    summary: switchOrganization.summary,
    errorImpact: 'People cannot switch between their organizations in the console.',
    request: { form: switchForm },
  },
  changePreferences: {
    ...confirms(changePreferences, '/console/settings', 'the settings'),
    path: '/console/members/preferences',
    handler: 'console-people/change-preferences',
    summary: changePreferences.summary,
    errorImpact: 'People cannot change what is mailed to them in the console.',
    request: { form: preferencesForm },
  },
  changeMemberMail: {
    ...confirms(changeMemberMail, '/console/settings', 'the settings'),
    path: '/console/members/mail',
    handler: 'console-people/change-mail',
    summary: changeMemberMail.summary,
    errorImpact: 'People cannot change which alerts are mailed to them in the console.',
    request: { form: memberMailForm },
  },
  showOrganizations: {
    // Operators of the service only, of any organization and role.
    ...shows(OPERATOR, { query: operatorQuery }),
    handler: 'console-people/show-organizations',
    summary: 'Show all organizations to operators: numbers, and never what they have',
    errorImpact: 'Operators cannot see organizations in the console.',
    timeoutSeconds: 25,
    uses: [
      ...(['organization-list:read', 'organizations:read', 'people:read', 'directory:read'] as const),
      ...(['attention:list', 'fetched-mailboxes:read'] as const),
    ],
  },
  operateOrganizations: {
    ...consolePage,
    scope: 'read',
    page: OPERATOR,
    operation: 'operateOrganizations',
    method: 'POST',
    path: OPERATOR,
    handler: 'console-people/operate',
    summary: 'Create, limit or pause an organization from the console, as an operator',
    errorImpact: 'Operators cannot create, limit or pause organizations in the console.',
    request: { form: operateForm },
    success: { ...page, status: 303, description: 'Redirect to the organizations' },
    errors: [...consoleErrors, 'not_found', 'payload_too_large'],
    uses: ['organization-list:write', 'organizations:write', 'people:read', 'sessions:write'],
  },
  leaveInConsole: {
    ...submits(leave, '/console/settings', 'the page to sign in'),
    path: '/console/members/leave',
    handler: 'console-people/leave',
    summary: 'Leave the organization from the console',
    errorImpact: 'Visitors cannot leave their organization in the console.',
    request: { form: buttonForm },
  },
});
