import type { MiddlewareObj } from '@middy/core';
import { findSession, formTokenOf, useSession } from '../../../store/sessions.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { Redirect, ServiceError } from '../errors.ts';
import type { SessionAccess } from '../route.ts';
import { isSameSecret } from '../same-secret.ts';
import { sessionIn, signInPath } from '../session-cookie.ts';
import { admit } from './admit.ts';

/**
 * Sets the organization of a request from its session, whose token must be valid and have the scope that the route
 * needs. Without a session, redirects to the page to sign in, which leads back.
 */
export function requireSession({ scope }: SessionAccess): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      const now = clock.now();
      const text = sessionIn(event.cookies ?? []);
      const found = text === undefined ? undefined : await findSession(itemStore(), text, now);
      if (text === undefined || found === undefined) throw new Redirect(signInPath(pageOf(event)));
      const { session, token } = found;
      event.formToken = formTokenOf(text);
      event.session = session;
      await admit(event, token, scope);
      if (!(await useSession(itemStore(), token.organization, session, now)))
        throw new Redirect(signInPath(pageOf(event)));
    },
  };
}

/** Where to return to: the requested page. What a form would have done has to be done again. */
function pageOf({ requestContext, rawPath, rawQueryString }: EndpointEvent): string | undefined {
  if (requestContext.http.method === 'POST') return undefined;
  return rawQueryString === '' ? rawPath : `${rawPath}?${rawQueryString}`;
}

/** Rejects forms that are not from a page of the session. */
export function requireFormToken(): MiddlewareObj<EndpointEvent> {
  return {
    before: ({ event }) => {
      const { formToken: given = '' } = (event.parsed?.form ?? {}) as { readonly formToken?: string };
      if (event.formToken === undefined || !isSameSecret(given, event.formToken)) {
        throw new ServiceError(
          'forbidden',
          'The form is from another session. Load the page again, and repeat what you did.',
        );
      }
    },
  };
}
