import { showToken } from '../../shared/api/tokens.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { endOf } from '../../shared/store/api-tokens.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { routes } from './routes.ts';
import { settleRights } from './rules.ts';

/** How many valid tokens an organization can have, so that a list of them is one read. */
const MAX_TOKENS = 100;

export const handler = endpoint(
  routes.createToken,
  () => ({ organizations: organizationStore(table()), label: config().SERVICE_LABEL, clock }),
  async ({ organization, token: own, body }, { organizations, label, clock }) => {
    const now = clock.now();
    const rights = settleRights(body, own, now);
    const others = await organizations.listTokens(organization);
    if (others.filter((one) => endOf(one, now) === undefined).length >= MAX_TOKENS) {
      throw new ServiceError('forbidden', `The organization has ${MAX_TOKENS} tokens. Delete one first.`);
    }
    const { token, info } = await organizations.createToken(
      organization,
      { name: body.name, label, ...rights },
      now,
    );
    return { ...reply({ ...showToken(info, null), token }), subjects: [{ id: info.id, name: info.name }] };
  },
);
