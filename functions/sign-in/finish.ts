import { Refused } from '../../shared/operations/outcome.ts';
import { operation, signInPerson } from '../../shared/operations/people/sign-in-person.ts';
import { hasFields } from '../../shared/pages/console/form-fields.ts';
import { signedInPage } from '../../shared/pages/console/signed-in.ts';
import { identityProvider, signInPersonDependencies } from '../../shared/runtime/dependencies/sign-in.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { recordChanges } from '../../shared/runtime/http/record-write.ts';
import { returnTo } from '../../shared/runtime/http/return-to.ts';
import { returnPath, sessionCookie, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import {
  attemptIn,
  browserCookie,
  browserIn,
  endedAttempt,
} from '../../shared/runtime/http/sign-in-attempt.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.finishProviderSignIn,
  () => ({ ...signInPersonDependencies(), provider: identityProvider() }),
  async ({ rawQuery, ...request }, { provider, ...deps }) => {
    if (provider === undefined) throw new Redirect(signInPath());
    const now = deps.clock.now();
    const attempt = attemptIn(request.cookies, new URLSearchParams(rawQuery).get('state'), now);
    if (attempt === undefined) throw new Redirect(signInPath(undefined, 'stale'));
    const { link: invitation, replaces } = attempt;
    const to = returnPath(attempt.to);
    const { userAgent, clientAddress } = request;
    const browser = browserIn(request.cookies);
    const returning = { query: rawQuery, attempt, invitation, userAgent, clientAddress, browser };
    const outcome = await signInPerson(returning, { ...deps, provider });
    if (outcome instanceof Refused)
      throw new Redirect(signInPath(to, outcome.problems?.[0].path), { 'set-cookie': endedAttempt });
    const { text, member, browser: known } = outcome.value;
    const { organization, id: token } = member;
    record('signed in', { way: 'provider', organization, token, clientAddress });
    if (replaces !== undefined) await deps.sessions.end(replaces.organization, replaces.id);
    // Public requests are recorded by nobody else.
    await recordChanges(operation, member, outcome.subjects ?? [], now, clientAddress);
    const page = await returnTo(to, text, request.cookies, now, hasFields);
    return {
      data: signedInPage(page),
      cookies: [sessionCookie(text)['set-cookie'], endedAttempt, browserCookie(known)],
    };
  },
);
