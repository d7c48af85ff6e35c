/** The format of responses and errors: JSON here, HTML pages in `shared/pages`. */

import type { ErrorBody } from '../../api/error-table.ts';
import { type Body, jsonBody } from './body.ts';
import { errorResponse } from './errors.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';

type Headers = Readonly<Record<string, string>>;

export interface Presentation {
  readonly answer: (reply: Reply, success: Route['success']) => { headers: Headers; body: Body };
  readonly error: (body: ErrorBody, status: number, after?: AfterError) => { headers: Headers; body: string };
}

/** What a reader can do after an error. */
export interface AfterError {
  /** The header `Retry-After`, in seconds. */
  readonly retryAfter?: string | undefined;
  /** The address to try again: empty for that of the page, the page with the form, or undefined if it is not known. */
  readonly again?: string | undefined;
}

/** JSON bodies with the envelope of the route, and the error body. */
export const json: Presentation = {
  answer: ({ data, pagination, content }, { envelope, contentType }) => {
    if (content !== undefined)
      return { headers: { 'content-type': content.contentType }, body: content.body };
    if (contentType !== undefined) return { headers: { 'content-type': contentType }, body: String(data) };
    const meta = pagination && { meta: { pagination } };
    return {
      headers: { 'content-type': JSON_TYPE },
      body: jsonBody(envelope === 'bare' ? data : { data, ...meta }),
    };
  },
  error: (body) => ({ headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(body) }),
};

/**
 * Headers of every response unless the route sets its own: caches keep none, browsers take none for another type, and come back
 * over HTTPS only (RFC 6797; over HTTP they ignore it).
 */
export const responseHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** Without a charset, which JSON does not have (RFC 8259 section 11): some generated clients compare the whole value. */
export const JSON_TYPE = 'application/json';

/** An error as a response in the gateway's form. @param again See `AfterError`. */
export function presentError(error: unknown, requestId: string, presentation: Presentation, again?: string) {
  const { status, headers, body } = errorResponse(error, requestId);
  const presented = presentation.error(body, status, { retryAfter: headers['retry-after'], again });
  return {
    statusCode: status,
    headers: { ...responseHeaders, ...presented.headers, ...headers },
    body: presented.body,
  };
}
