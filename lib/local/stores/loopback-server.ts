/**
 * The HTTP server of the embedded endpoints. They do not verify signatures, so they are reachable only from this
 * machine. A session token keeps out other users of the machine.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '../../../shared/network/http.ts';
import { isSameSecret } from '../../../shared/protocol/same-secret.ts';
import { stoppable } from './http-stop.ts';
import { isForwarded } from './loopback.ts';

export interface LoopbackRequest {
  readonly method: string;
  /** The path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the body was larger than `maxBody`. */
  readonly body: Buffer | undefined;
  /** Aborts when the client disconnects and when the server stops. */
  readonly signal: AbortSignal;
}

export interface LoopbackAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  /**
   * Answers a request of this process, which needs neither HTTP nor the session token. The promise rejects after the
   * stop.
   */
  send(request: Omit<LoopbackRequest, 'signal'>, signal?: AbortSignal): Promise<LoopbackAnswer>;
  /** Resolves when all active requests have a response. */
  stop(): Promise<void>;
}

/** Responds to a request itself, or returns the response of `answer`. */
export type IamAuthorizer = (
  request: LoopbackRequest,
  answer: (request: LoopbackRequest) => LoopbackAnswer | Promise<LoopbackAnswer>,
) => LoopbackAnswer | Promise<LoopbackAnswer>;

/** The access key of the host itself, which has all permissions. */
export const HOST_ACCESS_KEY = 'local';

/** Where an endpoint is, and who has access to it. */
export interface LoopbackAccess {
  /** 0, the default, selects any free port. */
  readonly port?: number;
  /**
   * The token (`AWS_SESSION_TOKEN`) that every request needs. If absent, every program on this machine has access.
   */
  readonly sessionToken?: string;
  /** Decides about every request. If absent, all are allowed. */
  readonly guard?: IamAuthorizer | undefined;
}

interface LoopbackOptions extends LoopbackAccess {
  /** The maximum size of a request body in bytes. */
  readonly maxBody: number;
  /** If the promise rejects, the connection closes without a response. */
  answer(request: LoopbackRequest): LoopbackAnswer | Promise<LoopbackAnswer>;
}

const HOST = '127.0.0.1';
/** The valid Host header values. A browser that was tricked by DNS rebinding sends another name. */
const OWN_NAME = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;
/**
 * Longer than clients keep idle connections, so that a client never sends a request while the server closes the
 * connection.
 */
const KEEP_ALIVE_MILLISECONDS = 120_000;

/** The promise rejects if the port is in use. */
export async function serveLoopback({
  port = 0,
  sessionToken,
  guard = (request, answer) => answer(request),
  maxBody,
  answer,
}: LoopbackOptions): Promise<LoopbackServer> {
  const answerAllowed = (request: LoopbackRequest) => guard(request, answer);
  const active = new Set<AbortController>();
  const sent = new Set<Promise<unknown>>();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const stop = stoppable(server);
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, HOST, resolve));
  return {
    endpoint: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async send(request, aborted) {
      if (!server.listening) throw new Error('the embedded endpoint has stopped');
      const stopping = new AbortController();
      const signal = aborted ? AbortSignal.any([aborted, stopping.signal]) : stopping.signal;
      const answering = (async () => answerAllowed({ ...request, signal }))();
      active.add(stopping);
      sent.add(answering);
      try {
        return await answering;
      } finally {
        active.delete(stopping);
        sent.delete(answering);
      }
    },
    async stop() {
      const closed = stop();
      for (const waiting of active) waiting.abort();
      await Promise.allSettled([closed, ...sent]);
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAdmitted(request.headers, sessionToken)) {
      response.writeHead(403, { Connection: 'close' });
      response.end();
      return;
    }
    const body = await read(request, maxBody);
    const waiting = new AbortController();
    active.add(waiting);
    if (!server.listening) waiting.abort();
    response.once('close', () => {
      active.delete(waiting);
      waiting.abort();
    });
    const { method = '', url = '', headers } = request;
    const { signal } = waiting;
    const result = await answerAllowed({ method, url, headers, body, signal });
    const content = result.body ?? '';
    response.shouldKeepAlive &&= server.listening;
    response.writeHead(result.status, { 'Content-Length': Buffer.byteLength(content), ...result.headers });
    response.end(method === 'HEAD' ? undefined : content);
  }
}

/** Returns an unguessable session token. Only the environment of the SDK contains it. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

/**
 * Admits programs that have the token, but never web pages, including those that use DNS rebinding, nor what a proxy on
 * this machine passes on.
 */
function isAdmitted(headers: IncomingHttpHeaders, sessionToken: string | undefined): boolean {
  if (headers.origin !== undefined || !OWN_NAME.test(headers.host ?? '') || isForwarded(headers))
    return false;
  return sessionToken === undefined || isSameSecret(String(headers['x-amz-security-token']), sessionToken);
}

async function read(request: IncomingMessage, maxBody: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of request) {
    octets += chunk.length;
    if (octets <= maxBody) chunks.push(chunk);
  }
  return octets > maxBody ? undefined : Buffer.concat(chunks);
}
