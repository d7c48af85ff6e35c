/**
 * Wraps every HTTP handler: `endpoint(route, makeDependencies, handle)`. It authenticates the request, applies the rate
 * limit, parses the request by the route's schemas, calls `handle`, writes its reply and turns errors into the error
 * response.
 */
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import { correlated } from '../../network/correlation.ts';
import type { Caller } from '../../operations/operation.ts';
import type { Scope } from '../../protocol/scope.ts';
import { covers, type TokenInfo } from '../../store/api-tokens.ts';
import type { Flash } from '../../store/flashes.ts';
import type { Session } from '../../store/sessions.ts';
import { type Acceptance, acceptance } from './acceptance.ts';
import type { EndpointEvent } from './endpoint-event.ts';
import { isCurrent } from './entity-tag.ts';
import { onlyOnce } from './idempotency.ts';
import { addHeaders } from './middleware/add-headers.ts';
import { answerHead } from './middleware/answer-head.ts';
import { authenticate } from './middleware/authenticate.ts';
import { redirectForms, takeFlash } from './middleware/flash.ts';
import { limitRate } from './middleware/limit-rate.ts';
import { matchNothing } from './middleware/match-nothing.ts';
import { parseRequest } from './middleware/parse-request.ts';
import { refuseForeignForms } from './middleware/refuse-foreign-forms.ts';
import { refuseForeignRuns } from './middleware/refuse-foreign-runs.ts';
import { refuseTokens } from './middleware/refuse-tokens.ts';
import { reportErrors } from './middleware/report-errors.ts';
import { requestLog } from './middleware/request-log.ts';
import { requireEdge } from './middleware/require-edge.ts';
import { requireFormToken, requireSession } from './middleware/session.ts';
import { writeResponse } from './middleware/write-response.ts';
import { json } from './presentation.ts';
import { recordWrite } from './record-write.ts';
import type { Reply } from './reply.ts';
import { isPublicTool, type Route } from './route.ts';

type Parsed<S> = S extends z.ZodMiniType ? z.output<S> : undefined;

/** What is known about callers, by the access that a route requires. */
interface Known {
  readonly public: { readonly token: undefined; readonly session: undefined; readonly formToken: undefined };
  readonly token: { readonly token: TokenInfo; readonly session: undefined; readonly formToken: undefined };
  readonly session: { readonly token: TokenInfo; readonly session: Session; readonly formToken: string };
}

/** A parsed and authenticated request. */
export interface Request<R extends Route = Route> {
  readonly requestId: string;
  /** The caller's organization; the empty string without one. */
  readonly organization: string;
  /** Who asks for an operation; undefined without a token. */
  readonly caller: R extends { readonly scope: infer S extends Scope } ? Caller<S> : undefined;
  /** The caller's token. */
  readonly token: Known[R['access']]['token'];
  /** Whether the token may change something. */
  readonly canWrite: boolean;
  readonly session: Known[R['access']]['session'];
  /** What the forms of the session have to contain. */
  readonly formToken: Known[R['access']]['formToken'];
  /** What a form did that led to this page. */
  readonly flash: Flash | undefined;
  readonly cookies: readonly string[];
  /** The client address that the gateway saw. */
  readonly clientAddress: string;
  /** The header `User-Agent`. */
  readonly userAgent: string;
  readonly path: Parsed<R['request']['path']>;
  readonly query: Parsed<R['request']['query']>;
  /** The query as it was sent. */
  readonly rawQuery: string;
  readonly body: Parsed<R['request']['body']>;
  readonly form: Parsed<R['request']['form']>;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The content types that the caller accepts. */
  readonly accepts: Acceptance;
  /** Milliseconds until the invocation times out. */
  readonly remainingMilliseconds: () => number;
}

export type EndpointHandler<Dependencies> = ((
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>) & {
  readonly route: Route;
  /** The same endpoint with other dependencies, for tests. */
  readonly with: (deps: Dependencies) => EndpointHandler<Dependencies>;
};

/**
 * Creates the Lambda handler of a route.
 *
 * @param makeDependencies Called at the first request, once per cold start.
 * @param handle Turns a parsed request into a reply.
 * @param presentation How replies and errors are written; JSON by default.
 */
export function endpoint<R extends Route, Dependencies>(
  route: R,
  makeDependencies: () => Dependencies,
  handle: (request: Request<R>, deps: Dependencies) => Promise<Reply<z.output<R['success']['schema']>>>,
  presentation = json,
): EndpointHandler<Dependencies> {
  let deps: Dependencies | undefined;
  // middy runs what a middleware does before the handler from first to last, and what it does after it or on an error
  // from last to first: the reply passes `reportErrors`, `writeResponse`, `addHeaders` and `answerHead` before the request is logged.
  const handler = middy<EndpointEvent, APIGatewayProxyStructuredResultV2>()
    .use([
      requestLog(route),
      answerHead(),
      addHeaders(),
      writeResponse(route, presentation),
      reportErrors(route, presentation),
      ...(route.access === 'session' && route.method === 'POST' ? [redirectForms(route)] : []),
      requireEdge(),
      ...(route.request.form === undefined ? [] : [refuseForeignForms()]),
      ...(isToolPage(route) ? [refuseForeignRuns()] : []),
      ...(route.access === 'token' ? [authenticate(route.scope)] : []),
      ...(route.tokenPath === undefined ? [] : [refuseTokens(route.tokenPath)]),
      ...(route.access === 'session' ? [requireSession(route)] : []),
      ...(route.rate === 'none' ? [] : [limitRate(route.rate)]),
      ...(route.access === 'session' && route.method === 'GET' ? [takeFlash()] : []),
      parseRequest(route),
      ...(route.method === 'DELETE' && !route.hasVersions ? [matchNothing()] : []),
      ...(route.access === 'session' && route.method !== 'GET' ? [requireFormToken()] : []),
    ])
    .handler(async (event, context) => {
      deps ??= makeDependencies();
      const { organization = '', token, parsed } = event;
      const may = 'scope' in route ? route.scope : undefined;
      const request = {
        requestId: event.requestContext.requestId,
        organization,
        caller: (token &&
          may && {
            ...{ organization, token, may },
            isCurrent: (version: string) => isCurrent(version, event.headers['if-match']),
          }) as Request<R>['caller'],
        token,
        canWrite: token !== undefined && covers(token.scope, 'write'),
        session: event.session,
        formToken: event.formToken,
        flash: event.flash,
        rawQuery: event.rawQueryString,
        cookies: event.cookies ?? [],
        clientAddress: event.requestContext.http.sourceIp,
        userAgent: event.headers['user-agent'] ?? '',
        headers: event.headers,
        accepts: acceptance(event, route.success.formats),
        remainingMilliseconds: () => context.getRemainingTimeInMillis(),
        ...parsed,
      } as Request<R>;
      const known = deps;
      const answer = () => handle(request, known);
      const reply = isWrite(route) ? await write(route, event, answer) : await answer();
      // `writeResponse` converts the reply to the gateway's format; middy has only one type for both.
      return reply as unknown as APIGatewayProxyStructuredResultV2;
    });
  const underRequestId = (event: EndpointEvent, context: Context) =>
    correlated(event.requestContext.requestId, () => handler(event, context));
  return Object.assign(underRequestId as unknown as EndpointHandler<Dependencies>, {
    route,
    with: (others: Dependencies) => endpoint(route, () => others, handle, presentation),
  });
}

/** A page whose address runs a tool. A form has its own rule, and a JSON body cannot come from a page of another site. */
const isToolPage = (route: Route): boolean => route.method === 'GET' && isPublicTool(route);

const isWrite = ({ access, method }: Route): boolean => access !== 'public' && method !== 'GET';

/** Performs a write and adds it to the audit log, if it changes anything; a repeated request of v1 does neither. */
async function write(route: Route, event: EndpointEvent, answer: () => Promise<Reply>): Promise<Reply> {
  const recorded = async () => {
    const reply = await answer();
    await recordWrite(route, event, reply);
    return reply;
  };
  return route.access === 'token' && route.method === 'POST'
    ? onlyOnce(event, route.timeoutSeconds, recorded)
    : recorded();
}
