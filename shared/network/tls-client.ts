/** TLS on a connection that stands already: the handshake is finished first and judged by the caller afterwards. */
import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';

export interface HandshakeOptions {
  /** For SNI; an address sends none (RFC 6066 section 3). */
  readonly hostname: string;
  readonly secureContext: SecureContext;
  readonly protocols?: readonly string[];
}

/**
 * Completes a handshake whatever the certificate is worth, so that its facts can be told. The socket ends with
 * `signal`. Rejects with the socket's error, or where it closes before the handshake is done. The plain socket
 * belongs to the TLS socket from then on, also after a failure, and must not be destroyed on its own: Node 24 ends
 * the whole process by a memory fault when both are.
 */
export function handshake(
  socket: Socket,
  { hostname, secureContext, protocols }: HandshakeOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = connect({
      socket,
      secureContext,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(protocols === undefined ? {} : { ALPNProtocols: [...protocols] }),
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const onAbort = () => secure.destroy(asError(signal.reason));
    signal.addEventListener('abort', onAbort);
    secure.once('secureConnect', () => resolve(secure));
    // The listener stays, since a socket without one would end the process on a later error.
    secure.on('error', (error) => {
      secure.destroy();
      reject(error);
    });
    secure.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      reject(new Error('the connection was closed during the handshake'));
    });
    if (signal.aborted) onAbort();
  });
}

/** Whether the server spoke during a handshake, and what it said is no TLS that we take. */
export function isTlsError(error: unknown): boolean {
  return /^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(errorCode(error));
}

/** Node's code of an error; the empty string where it has none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** An error in at most 200 characters. */
export function describeError(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return (errorCode(error) || String(message)).slice(0, 200);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
