import { deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { deleteTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { changed, confirmed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.revokeTokenInConsole,
  () => ({ ...confirmDependencies(), revoking: deleteTokenDependencies() }),
  (request, { revoking, ...deps }) =>
    confirmed(routes.revokeTokenInConsole, request, deps, async () => {
      const { id, created } = request.form;
      const input = { id, created: created && ('revoke' as const) };
      const outcome = await deleteToken(asCaller(request), input, revoking);
      return changed(request, deps, outcome, ([{ name }, ...others]) => {
        const what =
          others.length === 0 ? 'is' : `and ${pluralize(others.length, 'token')} that it created are`;
        return { says: `The token ${name} ${what} revoked, and all sessions of revoked tokens have ended.` };
      });
    }),
  consolePages,
);
