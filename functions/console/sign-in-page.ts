import { signInProblems } from '../../shared/operations/sessions/sign-in.ts';
import { signInPage } from '../../shared/pages/console/sign-in.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { providerHost } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { CONSOLE_PATH, keepsSession, returnPath } from '../../shared/runtime/http/session-cookie.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showSignIn,
  () => ({ keepsSession: keepsSession(config().HOST_URL), provider: providerHost() }),
  async ({ query: { link, to: wanted, failed, left } }, deps) => {
    const to = returnPath(wanted);
    const problem = failed && signInProblems[failed];
    const view = { link, to: to === CONSOLE_PATH ? undefined : to, problem };
    return reply(signInPage({ ...deps, ...view, isProof: failed === 'proof', hasLeft: left !== undefined }));
  },
);
