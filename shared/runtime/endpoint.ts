/**
 * What stands around every HTTP handler: `endpoint(route, parts, sentence)`. It authenticates, counts, parses by the
 * route's schemas, calls the sentence, wraps its answer and turns whatever is thrown into the one error shape.
 */
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type Acceptance, acceptance } from './acceptance.ts';
import { answerHead } from './middleware/answer-head.ts';
import { authenticate } from './middleware/authenticate.ts';
import { limitRate } from './middleware/limit-rate.ts';
import { parseRequest } from './middleware/parse-request.ts';
import { refuseForeignForms } from './middleware/refuse-foreign-forms.ts';
import { reportErrors } from './middleware/report-errors.ts';
import { requestLog } from './middleware/request-log.ts';
import { writeResponse } from './middleware/write-response.ts';
import { json } from './presentation.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';

type Parsed<S> = S extends z.ZodMiniType ? z.output<S> : undefined;

/** What a sentence is told about its request. */
export interface Request<R extends Route = Route> {
  readonly requestId: string;
  /** The caller's organization; the empty string on public routes. */
  readonly organization: string;
  /** The address the request came from, as the gateway saw it. */
  readonly clientAddress: string;
  readonly path: Parsed<R['request']['path']>;
  readonly query: Parsed<R['request']['query']>;
  readonly body: Parsed<R['request']['body']>;
  readonly form: Parsed<R['request']['form']>;
  /** In which forms the caller wants the answer. */
  readonly accepts: Acceptance;
  /** Milliseconds until the host ends this call. */
  readonly remainingMilliseconds: () => number;
}

/** The event on its way through the middlewares. */
export interface EndpointEvent extends APIGatewayProxyEventV2 {
  organization?: string;
  parsed?: { path?: unknown; query?: unknown; body?: unknown; form?: unknown };
}

export type EndpointHandler<Parts> = ((
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>) & {
  readonly route: Route;
  /** The same endpoint with other parts, for tests. */
  readonly with: (parts: Parts) => EndpointHandler<Parts>;
};

/**
 * Makes the Lambda handler of a route.
 *
 * @param parts Makes what the sentence uses; called at the first request, once per cold start.
 * @param sentence What remains: from a parsed request to a reply.
 * @param presentation The form of answers and errors: JSON, unless told otherwise.
 */
export function endpoint<R extends Route, Parts>(
  route: R,
  parts: () => Parts,
  sentence: (request: Request<R>, parts: Parts) => Promise<Reply<z.output<R['success']['schema']>>>,
  presentation = json,
): EndpointHandler<Parts> {
  let made: Parts | undefined;
  const handler = middy<EndpointEvent, APIGatewayProxyStructuredResultV2>()
    .use([
      requestLog(route),
      answerHead(),
      writeResponse(route, presentation),
      reportErrors(route, presentation),
      ...(route.request.form === undefined ? [] : [refuseForeignForms()]),
      ...(route.access === 'token' ? [authenticate()] : []),
      ...(route.rate === 'none' ? [] : [limitRate(route.rate)]),
      parseRequest(route),
    ])
    .handler(async (event, context) => {
      made ??= parts();
      const reply = await sentence(
        {
          requestId: event.requestContext.requestId,
          organization: event.organization ?? '',
          clientAddress: event.requestContext.http.sourceIp,
          accepts: acceptance(event.headers),
          remainingMilliseconds: () => context.getRemainingTimeInMillis(),
          ...event.parsed,
        } as Request<R>,
        made,
      );
      // `writeResponse` turns a reply into the gateway's form; middy knows only one type for both.
      return reply as unknown as APIGatewayProxyStructuredResultV2;
    });
  return Object.assign(handler as unknown as EndpointHandler<Parts>, {
    route,
    with: (others: Parts) => endpoint(route, () => others, sentence, presentation),
  });
}
