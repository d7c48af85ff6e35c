import { createTokenBody } from '../../shared/api/tokens.ts';
import { separated } from '../../shared/pages/console/form-fields.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { parseAs } from '../../shared/runtime/http/middleware/parse-request.ts';
import { createToken } from '../tokens/rules.ts';
import { confirmDependencies, confirmed } from './confirmation-rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.createTokenInConsole,
  () => ({ ...confirmDependencies(), label: config().SERVICE_LABEL }),
  (request, deps) =>
    confirmed(routes.createTokenInConsole, request, deps, async () => {
      const { name, scope, expiresOn, networks } = request.form;
      const listed = separated(networks, /[\s,]+/);
      const body = {
        ...{ name, scope },
        ...(expiresOn !== '' && { expiresAt: `${expiresOn}T23:59:59.999Z` }),
        ...(listed.length > 0 && { networks: listed }),
      };
      const given = parseAs(createTokenBody, body, 'form');
      const { token, info } = await createToken(given, request.token, deps);
      return {
        says: `The token ${info.name} is created.`,
        secret: token,
        subjects: [{ id: info.id, name: info.name }],
      };
    }),
  consolePages,
);
