import { ProviderProblem } from '../../shared/network/identity-provider-port.ts';
import { clock } from '../../shared/runtime/dependencies/services.ts';
import { identityProvider } from '../../shared/runtime/dependencies/sign-in.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { returnPath, sessionIn, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { attemptCookie } from '../../shared/runtime/http/sign-in-attempt.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { sessionPlaceIn } from '../../shared/store/sessions.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.startProviderSignIn,
  () => ({ provider: identityProvider(), clock }),
  async ({ query: { to: wanted, link, fresh }, cookies, clientAddress, headers }, { provider, clock }) => {
    if (provider === undefined) throw new Redirect(signInPath());
    const to = returnPath(wanted);
    // Otherwise a link of another site makes a person who is signed in at the provider sign in here, or join, without knowing (W3C
    // Fetch Metadata). Browsers without the header keep no session either: they are old, or the address has no HTTPS.
    if (headers['sec-fetch-site'] !== 'same-origin')
      throw new Redirect(
        link === undefined
          ? signInPath(to)
          : `${routes.showInvitation.path}?${new URLSearchParams({ link })}`,
      );
    const attempt = provider.newAttempt(fresh === 'true');
    // The provider's answer comes from another site, without the strict cookie of a session that it replaces.
    const replaces = sessionPlaceIn(sessionIn(cookies) ?? '');
    const kept = { ...attempt, to, link, replaces };
    try {
      const location = await provider.signInUrl(attempt);
      throw new Redirect(location, attemptCookie(kept, clock.now()));
    } catch (error) {
      if (!(error instanceof ProviderProblem)) throw error;
      record('sign-in failed', { problem: error.code, detail: error.detail, clientAddress });
      throw new Redirect(signInPath(to, error.code));
    }
  },
);
