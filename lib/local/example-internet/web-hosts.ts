/** The web sites of the example internet: one HTTPS server on loopback with a certificate per name. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { stoppable } from '../stores/http-stop.ts';
import type { HostCertificate } from './certificate-authority.ts';
import type { WebHost } from './zone-data.ts';

/** A request of a webhook, as it came. */
export interface ReceivedWebhook {
  readonly at: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const LOOPBACK = '127.0.0.1';
const MAX_CONNECTIONS = 100;
const REQUEST_MILLISECONDS = 10_000;
/** Of webhooks: what is kept, and how large a body may be. */
const MAX_KEPT = 20;
const MAX_BODY = 1024 * 1024;

/** Starts the server for these hosts. For a name without a certificate, the handshake fails. */
export async function startWebHosts(
  hosts: readonly WebHost[],
  certificates: ReadonlyMap<string, HostCertificate>,
) {
  const contexts = new Map<string, SecureContext>();
  for (const [name, { keyPem, chainPem }] of certificates) {
    contexts.set(name, createSecureContext({ key: keyPem, cert: chainPem }));
  }
  const webhooks: ReceivedWebhook[] = [];
  const server = createServer(
    {
      SNICallback(name, done) {
        const context = contexts.get(name.toLowerCase());
        done(context === undefined ? new Error(`no such host: ${name}`) : null, context);
      },
    },
    async (request, response) => {
      const name = request.headers.host?.replace(/:\d+$/, '').toLowerCase();
      const [path = ''] = (request.url ?? '').split('?');
      const host = hosts.find((one) => one.name === name);
      if (host?.takesWebhooks && request.method === 'POST') {
        const body = await bodyOf(request);
        if (body === undefined) return void response.writeHead(413).end();
        webhooks.unshift({ at: new Date().toISOString(), ...partsOf(request, host.name), body });
        webhooks.splice(MAX_KEPT);
        return void response.writeHead(204).end();
      }
      const file = host?.files[path];
      if (file === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
      else response.writeHead(200, { 'content-type': file.type }).end(file.text);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = REQUEST_MILLISECONDS;
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  const stop = stoppable(server);
  await once(server.listen(0, LOOPBACK), 'listening');
  return {
    port: (server.address() as { port: number }).port,
    /** The latest requests of webhooks, newest first. */
    webhooks,
    // Its files are small, so it waits for no response.
    stop: () => stop(0),
  };
}

const partsOf = ({ url = '/', headers }: IncomingMessage, host: string) => ({
  url: `https://${host}${url}`,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
});

/** Undefined if it is too large, or if the client left. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > MAX_BODY) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
