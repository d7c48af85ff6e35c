import { Refused } from '../../shared/operations/outcome.ts';
import { deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { deleteTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { endedCookie, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { isMember } from '../../shared/store/api-tokens.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed, confirmed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.revokeTokenInConsole,
  () => ({ ...confirmDependencies(), revoking: deleteTokenDependencies() }),
  (request, { revoking, ...deps }) =>
    confirmed(routes.revokeTokenInConsole, request, deps, async () => {
      const { id, created } = request.form;
      const input = { id, created: created && ('revoke' as const) };
      const outcome = await deleteToken(asCaller(request), input, revoking);
      // Who revokes the own token has no session any more that could show what was done.
      if (!(outcome instanceof Refused) && outcome.value.some((one) => one.id === request.token.id)) {
        const ended = redirect(outcome, () => signInPath());
        return { ...ended, headers: { ...ended.headers, ...endedCookie } };
      }
      return changed(outcome, ([{ name }, ...others]) => {
        const what = others.every(isMember)
          ? 'is'
          : `and ${pluralize(others.filter((one) => !isMember(one)).length, 'token')} that it created are`;
        const members = others.filter(isMember);
        const gone =
          members.length === 0 ? '' : ` Removed: ${pluralize(members.length, 'member')} that it invited.`;
        return {
          says: `The token ${name} ${what} revoked, and all sessions of revoked tokens have ended.${gone}`,
        };
      });
    }),
);
