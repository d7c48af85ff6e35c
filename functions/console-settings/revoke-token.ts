import { deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { deleteTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { isMember } from '../../shared/store/api-tokens.ts';
import { confirmedEndpoint, ended } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = confirmedEndpoint(
  routes.revokeTokenInConsole,
  deleteTokenDependencies,
  async ({ caller, token, form: { id, created } }, deps) =>
    ended(
      await deleteToken(caller, { id, created: created && 'revoke' }, deps),
      token,
      ([{ name }, ...others]) => {
        const members = others.filter(isMember);
        const tokens = others.length - members.length;
        const what = tokens === 0 ? 'is' : `and ${pluralize(tokens, 'token')} that it created are`;
        const gone =
          members.length === 0 ? '' : ` Removed: ${pluralize(members.length, 'member')} that it invited.`;
        return {
          says: `The token ${name} ${what} revoked, and all sessions of revoked tokens have ended.${gone}`,
        };
      },
    ),
);
