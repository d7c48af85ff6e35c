/** The operator commands for members of organizations. */
import * as createInvitation from '../../shared/operations/people/create-invitation.ts';
import * as removeMember from '../../shared/operations/people/remove-member.ts';
import * as updateMember from '../../shared/operations/people/update-member.ts';
import { roleOf } from '../../shared/protocol/scope.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { membersOf } from '../../shared/views/members.ts';
import { CommandError } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import { type AdminDependencies, asJson, type Commands } from './command.ts';
import { inputFor, perform } from './perform.ts';

/** Commands by their words: `member list`. */
export const memberCommands: Commands = {
  'member list': {
    args: '<org>',
    says: 'list the people who are members: address, role, and the day of their last use',
    example: 'member list default',
    options: asJson,
    async run([organization]: [string], { json }, deps) {
      const members = await membersOf(organization, deps);
      if (json) return jsonLines(members);
      return members.map(({ mail, role, lastUsedOn }) => `${mail}  ${role}  ${lastUsedOn ?? 'not used yet'}`);
    },
  },

  'member invite': {
    args: '<org> <address>',
    says: 'print a link with which the person with this address becomes a member, once, within seven days; it needs an identity provider (OIDC_ISSUER)',
    example: 'member invite default jo@example.org --role admin',
    options: { '--role <role>': 'viewer, editor or admin (default: viewer)' },
    async run([organization, mail]: [string, string], { role }, deps) {
      const input = inputFor(createInvitation.operation.input, { mail, ...(role !== undefined && { role }) });
      const inviting = {
        ...deps,
        invitations: invitationStore(deps.table),
        // The service sends mail, and this machine does not.
        sendMail: undefined,
        ownDomains: deps.ownDomains(),
        hasProvider: true,
        hostUrl: deps.hostUrl(),
      };
      const { link } = await perform(createInvitation.operation, organization, deps, (caller) =>
        createInvitation.createInvitation(caller, input, inviting),
      );
      return [link];
    },
  },

  'member role': {
    args: '<org> <address> <role>',
    says: 'change the role of a member: viewer, editor or admin',
    example: 'member role default jo@example.org editor',
    async run([organization, mail, role]: [string, string, string], _options, deps) {
      const input = inputFor(updateMember.operation.input, { role });
      const member = await memberAt(mail, organization, deps);
      const changed = await perform(updateMember.operation, organization, deps, (caller) =>
        updateMember.updateMember(caller, { id: member, ...input }, deps),
      );
      return [`${changed.name}  ${roleOf(changed.scope)}`];
    },
  },

  'member remove': {
    args: '<org> <address>',
    says: 'remove a member, also the last admin, and end the sessions of the person',
    example: 'member remove default jo@example.org --created',
    options: {
      '--created':
        'also the tokens that the person created and the members that they invited, what these created, and so on',
    },
    async run([organization, mail]: [string, string], { created }, deps) {
      const member = await memberAt(mail, organization, deps);
      const input = { id: member, ...(created && { created: 'revoke' as const }) };
      const removed = await perform(removeMember.operation, organization, deps, (caller) =>
        removeMember.removeMember(caller, input, deps),
      );
      return removed.map(({ name }, n) => (n === 0 ? `removed ${name}` : `revoked the token ${name}`));
    },
  },
};

/** The ID of the member with a mail address. @throws CommandError if there is none. */
async function memberAt(mail: string, organization: string, deps: AdminDependencies): Promise<string> {
  const found = (await membersOf(organization, deps)).find((one) => one.mail === mail.toLowerCase());
  if (found === undefined) throw new CommandError(`${organization} has no member ${mail}`);
  return found.id;
}
