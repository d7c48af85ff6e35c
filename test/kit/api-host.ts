/** An HTTPS server on loopback for a fake of a provider's JSON API: it verifies the token, and limits requests as providers do. */
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';

export interface ApiCall {
  readonly method: string;
  /** As it was sent: its parts can contain an encoded slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The JSON body; an empty object without one. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** `body`: JSON, or bytes. */
export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | Uint8Array;
}

export interface ApiHost {
  readonly port: number;
  /** Requests in order of arrival: `GET /path?query`. */
  readonly requests: string[];
  /** Answers in place of the fake, unless it returns undefined. */
  intercept: (call: ApiCall) => ApiAnswer | undefined;
  stop(): Promise<void>;
}

/** @param atOnce How many requests may be under way. @param busy What a further one is answered. */
export async function startApiHost(
  certificate: { readonly cert: string; readonly key: string },
  answer: (call: ApiCall) => ApiAnswer,
  { atOnce, busy }: { readonly atOnce: number; readonly busy: ApiAnswer },
): Promise<ApiHost> {
  let underWay = 0;
  const host: Pick<ApiHost, 'requests' | 'intercept'> = { requests: [], intercept: () => undefined };
  const server = createServer(certificate, async (request, response) => {
    underWay += 1;
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    host.requests.push(`${request.method} ${request.url}`);
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://fake');
    const call: ApiCall = {
      ...{ method: request.method ?? '', path: pathname, query: searchParams },
      ...{ headers: request.headers, json: text === '' ? {} : JSON.parse(text) },
    };
    const isBusy = underWay > atOnce;
    const { status = 200, headers = {}, body } = isBusy ? busy : (host.intercept(call) ?? answer(call));
    // Others arrive meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return Object.assign(host, {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  });
}
