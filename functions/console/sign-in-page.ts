import { consolePages } from '../../shared/pages/console/layout.ts';
import { signInPage } from '../../shared/pages/console/sign-in.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { CONSOLE_PATH, returnPath } from '../../shared/runtime/http/session-cookie.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showSignIn,
  () => ({}),
  async ({ query: { link, to: wanted } }) => {
    const to = returnPath(wanted);
    return reply(signInPage({ link, to: to === CONSOLE_PATH ? undefined : to }));
  },
  consolePages,
);
