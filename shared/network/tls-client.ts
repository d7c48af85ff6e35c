/** TLS on an existing connection: completes the handshake first; the caller then judges the certificate. */
import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';

interface HandshakeOptions {
  /** For SNI; not sent for addresses (RFC 6066 section 3). */
  readonly hostname: string;
  readonly secureContext: SecureContext;
  readonly protocols?: readonly string[];
}

/**
 * Completes a handshake with any certificate, so that its facts can be reported. The socket ends with `signal`. Rejects
 * with the socket's error, or if it closes before the handshake is done. The TLS socket owns the plain socket from then
 * on, also after a failure; do not destroy the plain socket separately, because destroying both crashes Node 24.
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
    // Keep the listener: an error event without one would end the process.
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

/** Whether the server responded during a handshake with something other than acceptable TLS. */
export function isTlsError(error: unknown): boolean {
  return /^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(errorCode(error));
}

/** The code of a Node error; the empty string if it has none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** Describes an error in at most 200 characters. */
export function describeError(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return (errorCode(error) || String(message)).slice(0, 200);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
