/** Exchanges one DNS query and response with one server: UDP first, TCP if the response was truncated (RFC 7766). */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { answersQuery, encodeQuery, isTruncated, type Question } from './dns-wire.ts';

export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

export type TransportFailure = 'timeout' | 'unreachable' | 'malformed';

/** Why a server gave no readable response. */
export class TransportError extends Error {
  readonly reason: TransportFailure;

  constructor(reason: TransportFailure, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

/** `192.0.2.1:53`, `[2001:db8::1]:53`. */
export function writeServer({ address, port }: ServerAddress): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

/**
 * The server's response to the question. Uses UDP with a random port and id (RFC 5452 section 9.2) and ignores packets
 * that do not match; repeats the query over TCP if the response was truncated. Ends when `signal` aborts. Throws
 * TransportError.
 */
export async function exchange(
  server: ServerAddress,
  question: Question,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const query = encodeQuery(randomInt(0x10000), question);
  const reply = await overUdp(server, query, signal);
  return isTruncated(reply) ? await overTcp(server, query, signal) : reply;
}

function overUdp(server: ServerAddress, query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  return settle(signal, (resolve, reject) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
    socket.on('error', (cause) => reject('unreachable', cause));
    socket.on('message', (reply) => {
      if (answersQuery(reply, query)) resolve(reply);
    });
    // A connected socket accepts packets from this address and port only, and reports ICMP errors.
    socket.connect(server.port, server.address, (...failure: unknown[]) => {
      const [cause] = failure;
      if (cause instanceof Error) reject('unreachable', cause);
      else socket.send(query);
    });
    return () => socket.close();
  });
}

function overTcp(server: ServerAddress, query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  return settle(signal, (resolve, reject) => {
    const socket = connect({ host: server.address, port: server.port });
    let received = Buffer.alloc(0);
    socket.on('error', (cause) => reject('unreachable', cause));
    socket.on('close', () => reject('unreachable'));
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.length);
      socket.write(Buffer.concat([length, query]));
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2) return;
      const end = 2 + received.readUInt16BE(0);
      if (received.length < end) return;
      const reply = received.subarray(2, end);
      if (answersQuery(reply, query)) resolve(reply);
      else reject('malformed');
    });
    return () => socket.destroy();
  });
}

/** A promise that settles with the first outcome or the signal and then closes what it opened. */
function settle(
  signal: AbortSignal,
  open: (
    resolve: (reply: Uint8Array) => void,
    reject: (reason: TransportFailure, cause?: unknown) => void,
  ) => () => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new TransportError('timeout'));
      return;
    }
    let settled = false;
    const once = (end: () => void) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', onAbort);
      close();
      end();
    };
    const onAbort = () => once(() => reject(new TransportError('timeout')));
    signal.addEventListener('abort', onAbort);
    const close = open(
      (reply) => once(() => resolve(reply)),
      (reason, cause) => once(() => reject(new TransportError(reason, { cause }))),
    );
  });
}
