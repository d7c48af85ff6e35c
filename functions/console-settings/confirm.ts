import { confirmPage } from '../../shared/pages/console/confirm.ts';
import { SETTINGS_PATH } from '../../shared/pages/console/settings.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Without a form that waits for a proof, there is nothing to confirm. */
export const handler = consoleEndpoint(
  routes.confirmInConsole,
  () => ({}),
  async ({ formToken, flash }) => {
    if (flash === undefined || flash.kind === 'done') throw new Redirect(SETTINGS_PATH);
    return reply(confirmPage({ formToken, flash }));
  },
);
