/** The HTTP gateway of the local host: API Gateway's events, limits and answers before the same handlers. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type ErrorCode, errorResponse, ServiceError } from '../../../shared/runtime/errors.ts';
import type { Log } from '../../../shared/runtime/log.ts';
import { type LocalFunction, PayloadTooLarge, TimedOut } from '../invoke.ts';
import type { RoutedFunction } from '../program.ts';
import { makeEvent, splitTarget } from './event.ts';
import { createRouter } from './router.ts';

/** API Gateway's quotas: request body, request line and headers together; Lambda's: the answer. */
const MAX_REQUEST_BODY = 10 * 1024 * 1024;
const MAX_REQUEST_HEAD = 10_240;
const MAX_RESPONSE = 6 * 1024 * 1024;
/** What is read of a body that is too large, before its connection is cut. */
const MAX_DISCARDED = 10 * MAX_REQUEST_BODY;

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

/** Answers a request by its method, its body and the address that it came from. */
export type LocalEndpoint = (
  method: string,
  body: Buffer,
  client: string,
) => Promise<{ status: number; body: object }>;

export interface Gateway {
  readonly port: number;
  /** Takes no new requests, ends when those under way are answered. */
  stop(): Promise<void>;
}

/** @throws the listening error (`EADDRINUSE`, `EACCES`) when the port cannot be had. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const router = createRouter(options.routes);
  const server = createServer({ maxHeaderSize: MAX_REQUEST_HEAD, keepAliveTimeout: 30_000 });
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
    const body = await readBody(request);
    if (body === undefined) return refuse(response, 'payload_too_large', 'A request holds at most 10 MB.');
    const local = options.local?.[target.path];
    if (local !== undefined) {
      const answer = await local(request.method ?? 'GET', body, request.socket.remoteAddress ?? '');
      json(response, answer.status, answer.body);
      return;
    }
    const match = router(request.method ?? 'GET', target.path);
    const event = makeEvent(request, target, match, body);
    try {
      const result = await (match?.route.called ?? options.fallback).invoke(event);
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

/** The whole body; `undefined` when it is too large. The rest of such a body is read away, so that its sender hears why. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_DISCARDED) break;
    if (size <= MAX_REQUEST_BODY) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size <= MAX_REQUEST_BODY ? Buffer.concat(chunks) : undefined;
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
  response.setHeader('connection', 'close');
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
