import { ProviderProblem } from '../../shared/network/identity-provider-port.ts';
import { identityProvider } from '../../shared/runtime/dependencies/sign-in.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.leaveProvider,
  () => ({ provider: identityProvider() }),
  async (_request, { provider }) => {
    try {
      throw new Redirect((await provider?.signOutUrl()) ?? signInPath());
    } catch (error) {
      throw error instanceof ProviderProblem ? new Redirect(signInPath(undefined, error.code)) : error;
    }
  },
);
