/** The HTTP gateway of the local host: it gives the handlers API Gateway's events, limits and error responses. */

import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ErrorCode } from '../../../../shared/api/error-table.ts';
import { Abandoned } from '../../../../shared/network/abandon.ts';
import { callerOf, SITE_BITS } from '../../../../shared/network/caller.ts';
import { createServer } from '../../../../shared/network/http.ts';
import type { IpPrefix } from '../../../../shared/protocol/ip.ts';
import { errorResponse, ServiceError } from '../../../../shared/runtime/http/errors.ts';
import { JSON_TYPE, responseHeaders } from '../../../../shared/runtime/http/presentation.ts';
import type { Log } from '../../../../shared/runtime/logging/log.ts';
import { stoppable } from '../../stores/http-stop.ts';
import { type CertificateSource, TLS_OPTIONS } from '../certificate.ts';
import { type LocalFunction, MAX_PAYLOAD, PayloadTooLarge, TimedOut } from '../invoke.ts';
import type { RoutedFunction } from '../program.ts';
import { bodyReader, exceedsLimit } from './bodies.ts';
import { makeEvent, splitTarget } from './event.ts';
import { contentOf, fixedResponses, type KeptResponse } from './fixed-responses.ts';
import { createRouter } from './router.ts';
import { isOwnHost, senderOf } from './sender.ts';
import { type RequestKind, requestTurns } from './turns.ts';

/** API Gateway's quota for the request line and all headers together, in bytes. */
const MAX_REQUEST_HEAD = 10_240;
const TOO_LARGE = 'A request holds at most 6 MB.';
/** Why a signal aborts when a response is closed. Without it, each response would make an error, with a stack. */
const ABANDONED = new Abandoned();
/** When a request can be sent again that was refused because the process is too busy, or nothing can be stored. */
const UNAVAILABLE_SECONDS = 10;
/** The time limit for receiving a complete request. */
const REQUEST_MILLISECONDS = 60_000;
const HANDSHAKE_MILLISECONDS = 10_000;

const SERVER_OPTIONS = {
  maxHeaderSize: MAX_REQUEST_HEAD,
  keepAliveTimeout: 30_000,
  requestTimeout: REQUEST_MILLISECONDS,
};

interface GatewayOptions {
  readonly routes: readonly RoutedFunction[];
  /** Handles requests that match no route. */
  readonly fallback: LocalFunction;
  readonly address: string;
  readonly port: number;
  /** A second port with TLS. */
  readonly https?:
    | { readonly address: string; readonly port: number; readonly certificate: CertificateSource }
    | undefined;
  readonly log: Log;
  /** Whether nothing can be stored now. */
  readonly isFull?: () => boolean;
  /** Whether tools are refused. */
  readonly isTooBusy?: () => boolean;
  /** The URL of the service; called for each request, because a service on any free port knows it only after the start. */
  readonly hostUrl: () => string | undefined;
  /** The proxies whose X-Forwarded-For counts; none by default. */
  readonly trustedProxies?: readonly IpPrefix[];
  /** Endpoints that exist only on this host, by path. */
  readonly local?: Readonly<Record<string, LocalEndpoint>>;
}

interface LocalRequest {
  readonly method: string;
  readonly body: Buffer;
  /** Whether a program on this machine sent the request, and no proxy. */
  readonly isLocal: boolean;
  /** The Origin header, which browsers send and other programs do not. */
  readonly origin: string | undefined;
  /** The Authorization header. */
  readonly authorization?: string | undefined;
}

/** The body is sent as JSON, or as a text of this media type. */
type LocalAnswer = { readonly status: number } & (
  | { readonly body: object; readonly type?: undefined }
  | { readonly body: string; readonly type: string }
);

export type LocalEndpoint = (request: LocalRequest) => Promise<LocalAnswer>;

export interface Gateway {
  readonly port: number;
  readonly httpsPort: number | undefined;
  /** Accepts no new requests. Resolves when all active requests have a response. */
  stop(): Promise<void>;
}

/** @throws the listening error (`EADDRINUSE`, `EACCES`) if the port is not available. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const router = createRouter(options.routes);
  const readBody = bodyReader();
  const inTurn = requestTurns();
  const fixed = fixedResponses();
  const { https } = options;
  const plain = await listen(createServer(SERVER_OPTIONS), options);
  try {
    const secure = https && (await listen(tlsServer(https.certificate), https));
    return {
      port: plain.port,
      httpsPort: secure?.port,
      stop: async () => void (await Promise.all([plain.stop(), secure?.stop()])),
    };
  } catch (error) {
    await plain.stop();
    throw error;
  }

  async function listen(
    server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>,
    { port, address }: { readonly port: number; readonly address: string },
  ) {
    const stop = stoppable(server);
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // The client waits before it sends the body. If the body is rejected, the client does not send it, and the
      // connection cannot be reused.
      if (exceedsLimit(request)) response.setHeader('connection', 'close');
      else response.writeContinue();
      server.emit('request', request, response);
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      handle(request, response).catch((error) => {
        // Before the body is complete, the only possible failure is that the client disconnected.
        if (request.complete) options.log.error('gateway', { error });
        else options.log.debug('client disconnected during the request', { reason: error.message });
        response.destroy();
      });
    });
    server.listen(port, address);
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, stop: () => stop() };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isOwnHost(request, options.hostUrl())) {
      // RFC 9110 section 15.5.20
      return json(response, 421, { message: otherHost(options.hostUrl()) });
    }
    const sender = senderOf(request, options.trustedProxies ?? []);
    if (sender === undefined)
      return refuse(response, 'invalid_request', 'X-Forwarded-For must list IP addresses.');
    const target = splitTarget(request.url ?? '/');
    if (target === undefined)
      return refuse(response, 'invalid_request', 'The path is not encoded correctly.');
    const { method = 'GET', headers } = request;
    const local = options.local?.[target.path];
    const match = router(method, target.path);
    if (local === undefined && match === undefined) {
      // The fallback needs no body, so none is held: the server discards it after the response.
      return call(
        options.fallback,
        makeEvent(request, { ...sender, ...target }, undefined, Buffer.alloc(0)),
        response,
      );
    }
    if (match?.route.access === 'tool' && options.isTooBusy?.()) return unavailable(response);
    const body = await readBody(request);
    if (body === 'too-large') return refuse(response, 'payload_too_large', TOO_LARGE);
    if (body === 'busy') return json(response, 503, { message: 'Service Unavailable' });
    try {
      if (local !== undefined) {
        const { isLocal } = sender;
        const { origin, authorization } = headers;
        const answer = await local({ method, body: body.content, isLocal, origin, authorization });
        if (answer.type === undefined) return json(response, answer.status, answer.body);
        response.writeHead(answer.status, { ...responseHeaders, 'content-type': answer.type });
        response.end(answer.body);
      } else if (match !== undefined) {
        const event = makeEvent(request, { ...sender, ...target }, match, body.content);
        const kept = fixed.get(match.route, event);
        if (kept !== undefined) return sendContent(response, kept, event.requestContext.requestId);
        const answered = inTurn(
          kindOf(match.route, headers),
          callerOf(sender.client, SITE_BITS),
          async () => {
            // The client may have left while it waited.
            if (!response.destroyed)
              await call(match.route.handler, event, response, (result) =>
                fixed.keep(match.route, event, result),
              );
          },
        );
        if (answered === undefined) {
          response.setHeader('retry-after', 1);
          return refuse(response, 'rate_limited', 'Too many requests of this client are in progress.');
        }
        await answered;
      }
    } finally {
      body.release();
    }
  }

  async function call(
    handler: LocalFunction,
    event: APIGatewayProxyEventV2,
    response: ServerResponse,
    keep: (result: APIGatewayProxyStructuredResultV2) => void = () => {},
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(ABANDONED));
    try {
      const result = (await handler.invoke(event, gone.signal)) as APIGatewayProxyStructuredResultV2;
      if (result.statusCode === 500 && options.isFull?.()) return unavailable(response);
      keep(result);
      send(response, result, event.requestContext.requestId);
    } catch (error) {
      if (error instanceof PayloadTooLarge && error.part === 'event') {
        return refuse(response, 'payload_too_large', TOO_LARGE);
      }
      if (gone.signal.aborted) {
        options.log.debug('the client was gone before the response', { route: event.routeKey });
        return;
      }
      options.log.error('handler failed', { route: event.routeKey, error });
      if (options.isFull?.()) return unavailable(response);
      // API Gateway's responses if a Lambda function crashes or times out.
      const timedOut = error instanceof TimedOut;
      json(response, timedOut ? 503 : 500, {
        message: timedOut ? 'Service Unavailable' : 'Internal Server Error',
      });
    }
  }
}

function tlsServer(certificate: CertificateSource) {
  const server = createTlsServer({
    ...SERVER_OPTIONS,
    ...TLS_OPTIONS,
    ...certificate.current(),
    handshakeTimeout: HANDSHAKE_MILLISECONDS,
  });
  certificate.onChange((pair) => server.setSecureContext({ ...TLS_OPTIONS, ...pair }));
  return server;
}

/** A request is signed in if it has credentials, valid or not, for a route that requires them. */
function kindOf({ access = 'signed-in' }: RoutedFunction, headers: IncomingHttpHeaders): RequestKind {
  if (access !== 'signed-in') return access;
  return headers.authorization === undefined && headers.cookie === undefined ? 'page' : access;
}

function send(response: ServerResponse, result: APIGatewayProxyStructuredResultV2, requestId: string): void {
  if (Buffer.byteLength(result.body ?? '') > MAX_PAYLOAD) {
    json(response, 500, { message: 'Internal Server Error' });
    return;
  }
  sendContent(response, { result, body: contentOf(result) }, requestId);
}

function sendContent(response: ServerResponse, { result, body }: KeptResponse, requestId: string): void {
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  if (result.cookies !== undefined) response.setHeader('set-cookie', result.cookies);
  // A response that was kept has the ID of the request that it was made for.
  for (const name of ['apigw-requestid', 'x-request-id']) response.setHeader(name, requestId);
  // A response without content would have to state the length of the full one (RFC 9110 section 8.6).
  if (result.statusCode !== 304 && response.req.method !== 'HEAD')
    response.setHeader('content-length', body.length);
  response.writeHead(result.statusCode ?? 200);
  response.end(body);
}

/**
 * Sends an error of the gateway itself in the service's error format, which also has API Gateway's `message` field.
 */
function refuse(response: ServerResponse, code: ErrorCode, message: string): void {
  const { status, body } = errorResponse(new ServiceError(code, message), crypto.randomUUID());
  json(response, status, body);
}

function unavailable(response: ServerResponse): void {
  response.setHeader('retry-after', UNAVAILABLE_SECONDS);
  json(response, 503, { message: 'Service Unavailable' });
}

const otherHost = (hostUrl = 'the address of the service'): string =>
  `The Host header names another host. Use ${hostUrl}, or set HOST_URL to the address that you use.`;

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...responseHeaders, 'content-type': JSON_TYPE });
  response.end(JSON.stringify(body));
}
