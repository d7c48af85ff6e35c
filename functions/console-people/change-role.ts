import { updateMemberBody } from '../../shared/api/members.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { updateMember } from '../../shared/operations/people/update-member.ts';
import { MEMBERS_PATH } from '../../shared/pages/console/paths.ts';
import { roleOf } from '../../shared/protocol/scope.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { changed, confirmedEndpoint } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = confirmedEndpoint(
  routes.changeRoleInConsole,
  memberDependencies,
  async ({ caller, form: { id, role } }, deps) =>
    changed(
      await withInput(updateMemberBody, { role }, (input) => updateMember(caller, { id, ...input }, deps)),
      ({ name, scope }) => ({ says: `${name} is ${roleOf(scope)} now.` }),
      MEMBERS_PATH,
    ),
);
