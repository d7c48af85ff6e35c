import { confirmPage } from '../../shared/pages/console/confirm.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { SETTINGS_PATH } from '../../shared/pages/console/settings.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

/** Without a form that waits for a proof, there is nothing to confirm. */
export const handler = endpoint(
  routes.confirmInConsole,
  () => ({}),
  async ({ formToken, flash }) => {
    if (flash === undefined || flash.kind === 'done') throw new Redirect(SETTINGS_PATH);
    return reply(confirmPage({ formToken, flash }));
  },
  consolePages,
);
