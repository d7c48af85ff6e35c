import { removeMember } from '../../shared/operations/people/remove-member.ts';
import { MEMBERS_PATH } from '../../shared/pages/console/paths.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { confirmedEndpoint, ended } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = confirmedEndpoint(
  routes.removeMemberInConsole,
  memberDependencies,
  async ({ caller, token, form: { id, created } }, deps) =>
    ended(
      await removeMember(caller, { id, created: created && 'revoke' }, deps),
      token,
      ([{ name }, ...tokens]) => ({
        says: `${name} is removed, and the sessions have ended.${tokens.length === 0 ? '' : ` Tokens and members that the person created or invited: ${tokens.length} ended, too.`}`,
      }),
      MEMBERS_PATH,
    ),
);
