/**
 * HTTP for the embedded endpoints. They take any signature, so they are reached from this machine only; where others
 * are on it too, by whoever holds the session token.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where it was larger than `maxBody`. */
  readonly body: Buffer | undefined;
  /** Aborts when nobody waits for the answer any more, and when the server stops. */
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
  /** Resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

export interface LoopbackOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Octets of a request's body. */
  readonly maxBody: number;
  /** Without which every request is refused (`AWS_SESSION_TOKEN`); absent, everybody on this machine is let in. */
  readonly sessionToken?: string | undefined;
  /** A rejection closes the connection without an answer. */
  answer(request: LoopbackRequest): LoopbackAnswer | Promise<LoopbackAnswer>;
}

const HOST = '127.0.0.1';
/** A browser led here by another name, made to resolve to loopback, says that name. */
const OWN_NAME = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;
/** Longer than a client keeps an idle connection, so that it never sends into one that is being closed. */
const KEEP_ALIVE_MILLISECONDS = 120_000;

/** Rejects where the port is taken. */
export async function serveLoopback({
  port,
  maxBody,
  sessionToken,
  answer,
}: LoopbackOptions): Promise<LoopbackServer> {
  const underWay = new Set<AbortController>();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, HOST, resolve));
  return {
    endpoint: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const waiting of underWay) waiting.abort();
        server.closeIdleConnections();
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAdmitted(request.headers, sessionToken)) {
      response.writeHead(403, { Connection: 'close' });
      response.end();
      return;
    }
    const body = await read(request, maxBody);
    const waiting = new AbortController();
    underWay.add(waiting);
    if (!server.listening) waiting.abort();
    response.once('close', () => {
      underWay.delete(waiting);
      waiting.abort();
    });
    const { method = '', url = '', headers } = request;
    const { signal } = waiting;
    const said = await answer({ method, url, headers, body, signal });
    const content = said.body ?? '';
    response.shouldKeepAlive &&= server.listening;
    response.writeHead(said.status, { 'Content-Length': Buffer.byteLength(content), ...said.headers });
    response.end(method === 'HEAD' ? undefined : content);
  }
}

/** A session token that nobody guesses. It is told to the SDK by the environment, and to nobody else. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

/** Programs that hold the token are; pages, also those that a browser was led to by another name, never. */
function isAdmitted(headers: IncomingHttpHeaders, sessionToken: string | undefined): boolean {
  if (headers.origin !== undefined || !OWN_NAME.test(headers.host ?? '')) return false;
  return sessionToken === undefined || isEqual(headers['x-amz-security-token'], sessionToken);
}

function isEqual(said: string | string[] | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(String(said)), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
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
