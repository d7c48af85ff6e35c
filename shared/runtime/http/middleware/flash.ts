import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ErrorDetail } from '../../../api/error-table.ts';
import { type Flash, isFlashId, leaveFlash, readFlash } from '../../../store/flashes.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { asRefusal, Redirect } from '../errors.ts';
import { endedKeptForm, keptFormIn } from '../kept-form.ts';
import type { Reply, Said } from '../reply.ts';
import type { Route } from '../route.ts';
import { FLASH, pageOfForm, sessionIn, withFlash } from '../session-cookie.ts';
import { readForm } from './parse-request.ts';

/** Fields that are not repeated: they prove something, or are the secret of a mailbox. */
const SECRET_FIELDS: readonly string[] = ['formToken', 'proof', 'secret', 'refreshToken'];

/** Gives the page of a console what the form did that led to it. */
export function takeFlash(): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      const id = new URLSearchParams(event.rawQueryString).get(FLASH) ?? '';
      const place = placeOf(event);
      // What is shown once must not be lost to a request without a page.
      if (place === undefined || !isFlashId(id) || event.requestContext.http.method !== 'GET') return;
      event.flash = await readFlash(itemStore(), place, id, clock.now());
      // Signing in again made a flash of the kept form, so the cookie has done its work.
      if (event.flash !== undefined && keptFormIn(event.cookies ?? []) !== undefined)
        event.responseHeaders = { ...event.responseHeaders, ...endedKeptForm };
    },
  };
}

/**
 * Every form of the console is answered with a redirect, so that loading the page again does not send the form again. What
 * the form did, or why it did nothing, is left for the page that the redirect leads to.
 */
export function redirectForms(
  route: Route & { readonly access: 'session' },
): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2 | Reply> {
  const leave = async (event: EndpointEvent, said: Said & Partial<Pick<Flash, 'problems'>>) => {
    const place = placeOf(event);
    if (place === undefined) return undefined;
    const { rawPath: action } = event;
    const left: Flash = { kind: 'done', form: route.name, action, typed: {}, problems: [], ...said };
    return leaveFlash(itemStore(), place, left, clock.now());
  };
  return {
    after: async (request) => {
      const reply = request.response as Reply;
      const { flash, headers } = reply;
      if (flash === undefined || headers?.location === undefined) return;
      const id = await leave(request.event, flash);
      request.response = { ...reply, headers: { ...headers, location: withFlash(headers.location, id) } };
    },
    onError: async (request) => {
      const { event } = request;
      const refusal = asRefusal(request.error);
      if (refusal === undefined || event.session === undefined) return;
      const { details = [], message } = refusal;
      const id = await leave(event, {
        kind: 'refused',
        says: details.length === 0 ? message : 'The form has an error.',
        typed: withoutSecrets(event.typed ?? typedInto(event)),
        problems: details.map(inForm),
      });
      if (id !== undefined) request.error = new Redirect(withFlash(pageOfForm(event, route.page), id));
    },
  };
}

const placeOf = ({ organization, session, cookies = [] }: EndpointEvent) => {
  const text = sessionIn(cookies);
  if (organization === undefined || session === undefined || text === undefined) return undefined;
  return { organization, session, text };
};

/** What was typed into a form that was refused before it was parsed, for example by the rate limit. */
function typedInto(event: EndpointEvent): Readonly<Record<string, string>> {
  try {
    return readForm(event, []);
  } catch {
    // Nothing that a page of the console sends.
    return {};
  }
}

/** What was typed into a form, without what proves something. */
export const withoutSecrets = (typed: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(typed).filter(([name]) => !SECRET_FIELDS.includes(name)));

/** Without the part of the request that it is in. */
const inForm = ({ path, message }: ErrorDetail): ErrorDetail => ({
  path: path.replace(/^(?:form|body|query)\.?/, ''),
  message,
});
