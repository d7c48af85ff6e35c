import { changesPage } from '../../shared/pages/console/changes.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { organizationChangesStore } from '../../shared/store/check-runs/organization-changes.ts';
import { changesOf } from '../../shared/views/organization-changes.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showChanges,
  () => ({
    changes: organizationChangesStore(table()),
    alerts: alertStore(table(), retention()),
    clock,
  }),
  async ({ organization, formToken, flash, query }, deps) =>
    reply(changesPage({ ...(await changesOf(organization, query, deps)), formToken, flash })),
);
