/** The MX hosts of the example internet: SMTP servers on loopback that accept and discard every message. */
import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import type { HostCertificate } from './certificate-authority.ts';

const LOOPBACK = '127.0.0.1';
const MAX_MESSAGE = 1_000_000;
const MAX_CLIENTS = 50;
const IDLE_MILLISECONDS = 30_000;
const CLOSE_MILLISECONDS = 200;

/** Starts the MX host `name`; without a certificate it does not offer STARTTLS. */
export async function startMailHost(name: string, certificate?: HostCertificate) {
  const server = new SMTPServer({
    name,
    banner: 'example internet',
    ...(certificate === undefined ? {} : { key: certificate.keyPem, cert: certificate.chainPem }),
    disabledCommands: certificate === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH'],
    disableReverseLookup: true,
    logger: false,
    size: MAX_MESSAGE,
    maxClients: MAX_CLIENTS,
    socketTimeout: IDLE_MILLISECONDS,
    closeTimeout: CLOSE_MILLISECONDS,
    onData(stream, _session, done) {
      stream.on('end', () => done());
      stream.resume();
    },
  });
  // Clients may disconnect in the middle of a session.
  server.on('error', () => undefined);
  const listener = server.listen(0, LOOPBACK);
  await once(listener, 'listening');
  return {
    port: (listener.address() as { port: number }).port,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
