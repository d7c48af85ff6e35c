import { missing } from '../../shared/api/common.ts';
import { askInSettingsPage } from '../../shared/pages/console/ask.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { covers } from '../../shared/store/api-tokens.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { tokensOf } from '../../shared/views/tokens.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.askInSettings,
  () => ({ organizations: organizationStore(table()) }),
  async ({ organization, token: own, query: { about, id, created }, ...visit }, deps) => {
    const isAdmin = covers(own.scope, 'admin');
    if (about === 'sessions') return reply(askInSettingsPage({ ...visit, about, isWhole: isAdmin }));
    const token = isAdmin ? (await tokensOf(organization, deps)).find((one) => one.id === id) : undefined;
    if (token === undefined) throw new ServiceError('not_found', missing.token);
    const withCreated = created !== undefined;
    return reply(askInSettingsPage({ ...visit, about, token, withCreated, isOwn: token.id === own.id }));
  },
);
