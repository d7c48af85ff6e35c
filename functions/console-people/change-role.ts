import { updateMemberBody } from '../../shared/api/members.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { updateMember } from '../../shared/operations/people/update-member.ts';
import { roleOf } from '../../shared/protocol/scope.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { confirmed } from '../console-settings/presentation.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.changeRoleInConsole,
  () => ({ ...confirmDependencies(), changing: memberDependencies() }),
  (request, { changing, ...deps }) =>
    confirmed(routes.changeRoleInConsole, request, deps, async () => {
      const { id, role } = request.form;
      const input = readInput(updateMemberBody, { role });
      const outcome =
        input instanceof Refused ? input : await updateMember(asCaller(request), { id, ...input }, changing);
      return changed(outcome, ({ name, scope }) => ({ says: `${name} is ${roleOf(scope)} now.` }));
    }),
);
