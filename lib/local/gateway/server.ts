/** The HTTP gateway of the local host: API Gateway's events, limits and answers before the same handlers. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type ErrorCode, errorResponse, ServiceError } from '../../../shared/runtime/errors.ts';
import type { Log } from '../../../shared/runtime/log.ts';
import { type LocalFunction, PayloadTooLarge, TimedOut } from '../invoke.ts';
import type { RoutedFunction } from '../program.ts';
import { bodyReader } from './bodies.ts';
import { makeEvent, splitTarget } from './event.ts';
import { createRouter } from './router.ts';

/** API Gateway's quota of request line and headers together; Lambda's of the answer. */
const MAX_REQUEST_HEAD = 10_240;
const MAX_RESPONSE = 6 * 1024 * 1024;
/** Until a request is here whole. */
const REQUEST_MILLISECONDS = 60_000;

export interface GatewayOptions {
  readonly routes: readonly RoutedFunction[];
  /** Answers what no route takes. */
  readonly fallback: LocalFunction;
  readonly address: string;
  readonly port: number;
  readonly log: Log;
  /** Paths that only this host has, beside the table's. */
  readonly local?: Readonly<Record<string, LocalEndpoint>>;
}

export interface LocalRequest {
  readonly method: string;
  readonly body: Buffer;
  /** The address that it came from. */
  readonly client: string;
  /** Of the page that made a browser send it; programs say none. */
  readonly origin: string | undefined;
}

export type LocalEndpoint = (request: LocalRequest) => Promise<{ status: number; body: object }>;

export interface Gateway {
  readonly port: number;
  /** Takes no new requests, ends when those under way are answered. */
  stop(): Promise<void>;
}

/** @throws the listening error (`EADDRINUSE`, `EACCES`) when the port cannot be had. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const router = createRouter(options.routes);
  const readBody = bodyReader();
  const server = createServer({
    maxHeaderSize: MAX_REQUEST_HEAD,
    keepAliveTimeout: 30_000,
    requestTimeout: REQUEST_MILLISECONDS,
  });
  server.on('request', (request, response) => {
    handle(request, response).catch((error) => {
      // Until its body is whole only the client can fail: it hung up.
      if (request.complete) options.log.error('gateway', { error });
      else options.log.debug('request was cut off', { reason: error.message });
      response.destroy();
    });
  });
  server.listen(options.port, options.address);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server) };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = splitTarget(request.url ?? '/');
    if (target === undefined) return refuse(response, 'invalid_request', 'The path is not properly encoded.');
    const { method = 'GET', headers, socket } = request;
    const local = options.local?.[target.path];
    const match = router(method, target.path);
    if (local === undefined && match === undefined) {
      // Of a body that nobody looks at nothing is held: the server reads it away behind the answer.
      return call(options.fallback, makeEvent(request, target, undefined, Buffer.alloc(0)), response);
    }
    const body = await readBody(request);
    if (body === 'too-large') return refuse(response, 'payload_too_large', 'A request holds at most 10 MB.');
    if (body === 'busy') return json(response, 503, { message: 'Service Unavailable' });
    try {
      if (local !== undefined) {
        const client = socket.remoteAddress ?? '';
        const answer = await local({ method, body: body.content, client, origin: headers.origin });
        json(response, answer.status, answer.body);
      } else if (match !== undefined) {
        await call(match.route.called, makeEvent(request, target, match, body.content), response);
      }
    } finally {
      body.release();
    }
  }

  async function call(
    called: LocalFunction,
    event: APIGatewayProxyEventV2,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const result = await called.invoke(event);
      send(response, result as APIGatewayProxyStructuredResultV2, event.requestContext.requestId);
    } catch (error) {
      if (error instanceof PayloadTooLarge && error.part === 'event') {
        return refuse(response, 'payload_too_large', 'A request holds at most 6 MB.');
      }
      options.log.error('handler failed', { route: event.routeKey, error });
      // What API Gateway says when a Lambda crashes, or does not answer in time.
      const timedOut = error instanceof TimedOut;
      json(response, timedOut ? 503 : 500, {
        message: timedOut ? 'Service Unavailable' : 'Internal Server Error',
      });
    }
  }
}

function send(response: ServerResponse, result: APIGatewayProxyStructuredResultV2, requestId: string): void {
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  if (Buffer.byteLength(result.body ?? '') > MAX_RESPONSE) {
    json(response, 500, { message: 'Internal Server Error' });
    return;
  }
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  if (result.cookies !== undefined) response.setHeader('set-cookie', result.cookies);
  response.setHeader('apigw-requestid', requestId);
  // Of an answer without its content it would have to be the length of the whole one (RFC 9110 section 8.6).
  if (result.statusCode !== 304 && response.req.method !== 'HEAD')
    response.setHeader('content-length', body.length);
  response.writeHead(result.statusCode ?? 200);
  response.end(body);
}

/** What the gateway itself refuses: with our error body, which holds the gateway's own `message` too. */
function refuse(response: ServerResponse, code: ErrorCode, message: string): void {
  const { status, body } = errorResponse(new ServiceError(code, message), crypto.randomUUID());
  json(response, status, body);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
}
