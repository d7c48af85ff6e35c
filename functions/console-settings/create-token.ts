import { separated } from '../../shared/api/domain-fields.ts';
import { createTokenBody } from '../../shared/api/tokens.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { createToken } from '../../shared/operations/tokens/create-token.ts';
import { createTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { changed, confirmedEndpoint } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = confirmedEndpoint(
  routes.createTokenInConsole,
  createTokenDependencies,
  async ({ caller, form: { name, scope, expiresOn, networks } }, deps) => {
    const listed = separated(networks, /[\s,]+/);
    const given = {
      ...{ name, scope },
      ...(expiresOn !== '' && { expiresAt: `${expiresOn}T23:59:59.999Z` }),
      ...(listed.length > 0 && { networks: listed }),
    };
    return changed(
      await withInput(createTokenBody, given, (input) => createToken(caller, input, deps)),
      ({ token, info }) => ({ says: `The token ${info.name} is created.`, secret: token }),
    );
  },
);
