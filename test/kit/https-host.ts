/** An HTTPS server on loopback whose responses are listed in a table of paths. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TlsOptions } from 'node:tls';

export type Page =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** Any other response: a slow body, half a body, none. */
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface HttpsHost {
  readonly address: string;
  readonly port: number;
  /** Requests in order of arrival: `GET /path`. */
  readonly requests: readonly string[];
  /** Headers of the last request. */
  headers(): Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Starts a server, on a free loopback port by default; unlisted paths are 404. */
export async function startHttpsHost(
  certificate: { readonly cert: string; readonly key: string },
  pages: Readonly<Record<string, Page>>,
  options: TlsOptions & { readonly host?: string; readonly port?: number } = {},
): Promise<HttpsHost> {
  const requests: string[] = [];
  let headers: Readonly<Record<string, unknown>> = {};
  const server = createServer(
    { cert: certificate.cert, key: certificate.key, ...options },
    (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      headers = request.headers;
      const page = pages[request.url ?? ''];
      if (typeof page === 'function') {
        page(request, response);
        return;
      }
      response.writeHead(page?.status ?? (page === undefined ? 404 : 200), { ...page?.headers });
      response.end(page?.body);
    },
  );
  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve),
  );
  const bound = server.address();
  return {
    address: '127.0.0.1',
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    requests,
    headers: () => headers,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
