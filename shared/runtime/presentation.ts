/** The form in which answers and errors leave: JSON for programs here, pages for people in `shared/pages`. */
import { type Body, jsonBody } from './body.ts';
import { type ErrorBody, errorResponse } from './errors.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';

type Headers = Readonly<Record<string, string>>;

export interface Presentation {
  readonly answer: (reply: Reply, success: Route['success']) => { headers: Headers; body: Body };
  readonly error: (body: ErrorBody, status: number) => { headers: Headers; body: string };
}

/** Bodies of the envelope that the route names, and the one error shape. */
export const json: Presentation = {
  answer: ({ data, pagination, text }, { envelope, contentType }) => {
    if (text !== undefined) return { headers: { 'content-type': text.contentType }, body: text.body };
    if (contentType !== undefined) return { headers: { 'content-type': contentType }, body: String(data) };
    const meta = pagination && { meta: { pagination } };
    return {
      headers: { 'content-type': JSON_TYPE },
      body: jsonBody(envelope === 'bare' ? data : { data, ...meta }),
    };
  },
  error: (body) => ({ headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(body) }),
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** The gateway's form of an error answer; nobody keeps one. */
export function presentError(error: unknown, requestId: string, presentation: Presentation) {
  const { status, headers, body } = errorResponse(error, requestId);
  const presented = presentation.error(body, status);
  return {
    statusCode: status,
    headers: { 'cache-control': 'no-store', ...presented.headers, ...headers },
    body: presented.body,
  };
}
