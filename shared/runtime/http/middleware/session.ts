import type { MiddlewareObj } from '@middy/core';
import { isSameSecret } from '../../../protocol/same-secret.ts';
import { findSession, formTokenOf, useSession } from '../../../store/sessions.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { Redirect, ServiceError } from '../errors.ts';
import { keptFormCookie } from '../kept-form.ts';
import type { Route, SessionAccess } from '../route.ts';
import { pageOfForm, sessionIn, signInPath, withFlash } from '../session-cookie.ts';
import { admit } from './admit.ts';
import { withoutSecrets } from './flash.ts';
import { readForm } from './parse-request.ts';

/**
 * Sets the organization of a request from its session, whose token must be valid and have the scope that the route
 * needs. Without a session, redirects to the page to sign in, which leads back.
 */
export function requireSession(route: Route & SessionAccess): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      const now = clock.now();
      const text = sessionIn(event.cookies ?? []);
      const found = text === undefined ? undefined : await findSession(itemStore(), text, now);
      if (text === undefined || found === undefined) throw toSignIn(event, route, text);
      const { session, token } = found;
      event.formToken = formTokenOf(text);
      event.session = session;
      await admit(event, token, route.scope);
      if (!(await useSession(itemStore(), token.organization, session, now)))
        throw toSignIn(event, route, text);
    },
  };
}

/** Leads to signing in and then back to the page, where a form is filled again with what was typed. */
function toSignIn(event: EndpointEvent, route: Route & SessionAccess, text: string | undefined): Redirect {
  const { requestContext, rawPath, rawQueryString } = event;
  if (requestContext.http.method !== 'POST')
    return new Redirect(signInPath(rawQueryString === '' ? rawPath : `${rawPath}?${rawQueryString}`));
  const typed = text === undefined ? undefined : typedInSession(event, text);
  const organization = text?.split('.')[0];
  if (typed === undefined || organization === undefined) return new Redirect(signInPath());
  const page = withFlash(pageOfForm(event, route.page), undefined);
  const kept = { organization, form: route.name, action: rawPath, page, typed };
  return new Redirect(signInPath(page), keptFormCookie(kept));
}

/** What was typed into a form of the session with this text, which may have ended; undefined if it is from elsewhere. */
function typedInSession(event: EndpointEvent, text: string): Record<string, string> | undefined {
  try {
    const typed = readForm(event, []);
    return isSameSecret(typed.formToken ?? '', formTokenOf(text)) ? withoutSecrets(typed) : undefined;
  } catch {
    // Nothing that a page of the console sends.
    return undefined;
  }
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
