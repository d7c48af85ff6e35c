/** `Idempotency-Key` on POST requests of v1 (draft-ietf-httpapi-idempotency-key-header-07). */
import { createHash } from 'node:crypto';
import { idempotencyStore } from '../../store/idempotency.ts';
import { seal, unseal } from '../../store/sealed.ts';
import { clock, itemStore } from '../dependencies/services.ts';
import type { EndpointEvent } from './endpoint-event.ts';
import { invalidRequest, ServiceError } from './errors.ts';
import type { Reply } from './reply.ts';

/** A structured-field string (RFC 9651 section 3.3.3), or the same without quotes, which many clients send. */
const KEY = /^(?:"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

/** How much longer than its time limit a request is considered to be in progress. */
const MARGIN_SECONDS = 5;

/**
 * Handles a request that has an idempotency key at most once per key and token: a repeated request gets the stored reply.
 * A request that fails is not stored.
 * @throws ServiceError `invalid_request` for a malformed key, `idempotency_key_reused` if the key belongs to another
 * request, `request_in_progress`.
 */
export async function onlyOnce(
  event: EndpointEvent,
  timeoutSeconds: number,
  handle: () => Promise<Reply>,
): Promise<Reply> {
  const header = event.headers['idempotency-key'];
  if (header === undefined || event.token === undefined) return handle();
  const [, quoted, bare] = KEY.exec(header.trim()) ?? [];
  const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare;
  if (key === undefined) {
    throw invalidRequest({
      path: 'headers.idempotency-key',
      message: 'must be a string of 1 to 255 printable ASCII characters, such as "8e03978e-40d5-43dd"',
    });
  }
  const { rawPath, rawQueryString, body = '' } = event;
  const { method } = event.requestContext.http;
  const request = {
    tokenId: event.token.id,
    keyHash: hashOf(key),
    fingerprint: hashOf(JSON.stringify([method, rawPath, rawQueryString, body])),
  };
  const secret = `${event.headers.authorization?.trim().split(/ +/)[1]} ${key}`;
  const store = idempotencyStore(itemStore());
  const claim = await store.claim(request, clock.now(), timeoutSeconds + MARGIN_SECONDS);
  if (claim.status === 'completed') return opened(claim.response, secret);
  if (claim.status === 'other-request') throw new ServiceError('idempotency_key_reused');
  if (claim.status === 'in-progress') {
    throw new ServiceError('request_in_progress', undefined, { headers: { 'retry-after': '1' } });
  }
  let reply: Reply;
  try {
    reply = await handle();
  } catch (error) {
    await store.release(request);
    throw error;
  }
  // A response can contain a new token.
  await store.complete(request, seal(reply, secret, PURPOSE));
  return reply;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const PURPOSE = 'idempotent response';

/** The reply that `onlyOnce` sealed. */
const opened = (content: Uint8Array, secret: string): Reply => unseal(content, secret, PURPOSE) as Reply;
