/** The bodies of requests, which the gateway holds until they are answered: not too much of one, nor of all together. */
import type { IncomingMessage } from 'node:http';

export interface HeldBody {
  readonly content: Buffer;
  /** To be called once, when the request is answered. */
  release(): void;
}

/** API Gateway's quota. */
const MAX_BODY = 10 * 1024 * 1024;
/** Of all requests under way. */
const MAX_UNDER_WAY = 64 * 1024 * 1024;
/** A body up to here is taken in any case, so that a few large ones do not keep everybody else out. */
const ALWAYS_TAKEN = 64 * 1024;
/** What is read of a body that is refused, before its connection is cut. */
const MAX_DISCARDED = 10 * MAX_BODY;

export type ReadBody = (request: IncomingMessage) => Promise<HeldBody | 'too-large' | 'busy'>;

/**
 * Makes what reads bodies whole. One that is announced as too large is refused unread; of another that is refused
 * nothing is held, but it is read away, so that its sender hears why. Rejects where the client hangs up.
 */
export function bodyReader(): ReadBody {
  let underWay = 0;
  return async (request) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return 'too-large';
    const chunks: Buffer[] = [];
    let held = 0;
    const release = (): void => {
      chunks.length = 0;
      underWay -= held;
      held = 0;
    };
    let size = 0;
    let refused: 'too-large' | 'busy' | undefined;
    try {
      for await (const chunk of request) {
        size += chunk.length;
        if (size > MAX_DISCARDED) break;
        if (size > MAX_BODY) refused = 'too-large';
        else if (size > ALWAYS_TAKEN && underWay + chunk.length > MAX_UNDER_WAY) refused ??= 'busy';
        if (refused !== undefined) {
          release();
          continue;
        }
        chunks.push(chunk);
        held += chunk.length;
        underWay += chunk.length;
      }
    } catch (error) {
      release();
      throw error;
    }
    return refused ?? { content: Buffer.concat(chunks), release };
  };
}
