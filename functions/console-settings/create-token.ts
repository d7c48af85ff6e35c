import { separated } from '../../shared/api/domain-fields.ts';
import { createTokenBody } from '../../shared/api/tokens.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { createToken } from '../../shared/operations/tokens/create-token.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { createTokenDependencies } from '../../shared/runtime/dependencies/tokens.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed, confirmed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.createTokenInConsole,
  () => ({ ...confirmDependencies(), creating: createTokenDependencies() }),
  (request, { creating, ...deps }) =>
    confirmed(routes.createTokenInConsole, request, deps, async () => {
      const { name, scope, expiresOn, networks } = request.form;
      const listed = separated(networks, /[\s,]+/);
      const input = readInput(createTokenBody, {
        ...{ name, scope },
        ...(expiresOn !== '' && { expiresAt: `${expiresOn}T23:59:59.999Z` }),
        ...(listed.length > 0 && { networks: listed }),
      });
      const outcome =
        input instanceof Refused ? input : await createToken(asCaller(request), input, creating);
      return changed(outcome, ({ token, info }) => ({
        says: `The token ${info.name} is created.`,
        secret: token,
      }));
    }),
);
