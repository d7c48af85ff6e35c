import { Refused } from '../../shared/operations/outcome.ts';
import { removeMember } from '../../shared/operations/people/remove-member.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { endedCookie, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { confirmed } from '../console-settings/presentation.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.removeMemberInConsole,
  () => ({ ...confirmDependencies(), removing: memberDependencies() }),
  (request, { removing, ...deps }) =>
    confirmed(routes.removeMemberInConsole, request, deps, async () => {
      const { id, created } = request.form;
      const input = { id, created: created && ('revoke' as const) };
      const outcome = await removeMember(asCaller(request), input, removing);
      // The own session may have ended, too: with the membership, or with a token that the person created.
      if (!(outcome instanceof Refused) && outcome.value.some((one) => one.id === request.token.id)) {
        const ended = redirect(outcome, () => signInPath());
        return { ...ended, headers: { ...ended.headers, ...endedCookie } };
      }
      return changed(outcome, ([{ name }, ...tokens]) => ({
        says: `${name} is removed, and the sessions have ended.${tokens.length === 0 ? '' : ` Tokens and members that the person created or invited: ${tokens.length} ended, too.`}`,
      }));
    }),
);
