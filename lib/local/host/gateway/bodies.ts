/**
 * Reads request bodies. The gateway holds each body until it sends the response, within limits for one body and for all
 * bodies together.
 */
import type { IncomingMessage } from 'node:http';
import { MAX_PAYLOAD } from '../invoke.ts';

export interface HeldBody {
  readonly content: Buffer;
  /** Call this once, after the response is sent. */
  release(): void;
}

/** API Gateway accepts bodies up to 10 MB, but a Lambda event cannot hold one larger than this. */
const MAX_BODY = MAX_PAYLOAD;
/** The maximum number of bytes in memory, of all active requests together. */
const MAX_TOTAL = 64 * 1024 * 1024;
/** Bodies up to this size are always accepted, so that a few large bodies do not block all other requests. */
const ALWAYS_ACCEPTED = 64 * 1024;
/**
 * How many bytes of a rejected body are received, for clients that read the response only after they have sent
 * everything.
 */
const MAX_DISCARDED = 100 * 1024 * 1024;

type ReadBody = (request: IncomingMessage) => Promise<HeldBody | 'too-large' | 'busy'>;

/** Whether the request announces a body that is too large. */
export function exceedsLimit({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > MAX_BODY;
}

/**
 * Returns a function that reads complete bodies. A body is rejected as soon as it is known to be too large; if its
 * Content-Length says so, before any of it arrives. The rest of a rejected body is received and discarded: closing a
 * connection with unread data resets it, and the client loses the response (RFC 9112 section 9.6). The connection is
 * closed after MAX_DISCARDED bytes nevertheless. The promise rejects if the client disconnects.
 */
export function bodyReader(): ReadBody {
  let total = 0;
  return (request) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let [size, held, isRefused] = [0, 0, false];
      const release = (): void => {
        chunks.length = 0;
        total -= held;
        held = 0;
      };
      const refuse = (why: 'too-large' | 'busy'): void => {
        isRefused = true;
        release();
        resolve(why);
      };
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_DISCARDED) request.destroy();
        if (isRefused) return;
        if (size > MAX_BODY) return refuse('too-large');
        if (size > ALWAYS_ACCEPTED && total + chunk.length > MAX_TOTAL) return refuse('busy');
        chunks.push(chunk);
        held += chunk.length;
        total += chunk.length;
      });
      request.on('end', () => resolve({ content: Buffer.concat(chunks), release }));
      request.on('error', (error) => {
        release();
        reject(error);
      });
      if (exceedsLimit(request)) refuse('too-large');
    });
}
