/** The web sites of the example internet: one HTTPS server on loopback with a certificate per name. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { stoppable } from '../stores/http-stop.ts';
import type { HostCertificate } from './certificate-authority.ts';
import type { WebHost } from './zone-data.ts';

interface WebServer {
  readonly port: number;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const MAX_CONNECTIONS = 100;
const REQUEST_MILLISECONDS = 10_000;

/** Starts the server for these hosts. For a name without a certificate, the handshake fails. */
export async function startWebHosts(
  hosts: readonly WebHost[],
  certificates: ReadonlyMap<string, HostCertificate>,
): Promise<WebServer> {
  const contexts = new Map<string, SecureContext>();
  for (const [name, { keyPem, chainPem }] of certificates) {
    contexts.set(name, createSecureContext({ key: keyPem, cert: chainPem }));
  }
  const server = createServer(
    {
      SNICallback(name, done) {
        const context = contexts.get(name.toLowerCase());
        done(context === undefined ? new Error(`no such host: ${name}`) : null, context);
      },
    },
    (request, response) => {
      const name = request.headers.host?.replace(/:\d+$/, '').toLowerCase();
      const [path = ''] = (request.url ?? '').split('?');
      const file = hosts.find((host) => host.name === name)?.files[path];
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
    // Its files are small, so it waits for no response.
    stop: () => stop(0),
  };
}
