/**
 * Requests with an idempotency key: claimed while they are handled, then stored with their response, so that a repeated
 * request has the same response and no further effect.
 */

import * as z from 'zod/mini';
import { changing, having } from './changes.ts';
import { octets } from './item-schema.ts';
import type { ItemStore } from './items.ts';
import { idempotencyKey } from './keys.ts';
import { latestTime } from './wrong-clock.ts';

const KEPT_SECONDS = 86_400;

const requestItem = z.object({ fingerprint: z.string(), response: z.optional(octets) });

interface KeyedRequest {
  readonly tokenId: string;
  readonly keyHash: string;
  /** Equal only for equal requests. */
  readonly fingerprint: string;
}

/** `response` is the one of the completed request with the same key. */
export type Claim =
  | { readonly status: 'claimed' | 'in-progress' | 'other-request' }
  | { readonly status: 'completed'; readonly response: Uint8Array };

export function idempotencyStore(table: ItemStore) {
  return {
    /**
     * Claims a key for a request. A claim ends after `leaseSeconds`, when its request is interrupted. A key can be used
     * again a day after its request.
     */
    async claim(request: KeyedRequest, now: Date, leaseSeconds: number): Promise<Claim> {
      const key = keyOf(request);
      const seconds = Math.floor(now.getTime() / 1000);
      const isNew = await table.put(
        {
          ...key,
          fingerprint: request.fingerprint,
          claimedUntil: seconds + leaseSeconds,
          expiresAt: seconds + KEPT_SECONDS,
        },
        {
          ConditionExpression:
            'attribute_not_exists(pk) OR expiresAt <= :now OR (attribute_not_exists(#response) AND fingerprint = :fingerprint AND (claimedUntil <= :now OR claimedUntil > :latest))',
          ExpressionAttributeNames: { '#response': 'response' },
          ExpressionAttributeValues: {
            ...{ ':now': seconds, ':fingerprint': request.fingerprint },
            ':latest': Date.parse(latestTime(now, leaseSeconds * 1000)) / 1000,
          },
        },
      );
      if (isNew) return { status: 'claimed' };
      const stored = await table.get(key, requestItem);
      // The other request may have failed and released the key just now; the client tries again in any case.
      if (stored === undefined) return { status: 'in-progress' };
      if (stored.fingerprint !== request.fingerprint) return { status: 'other-request' };
      if (stored.response === undefined) return { status: 'in-progress' };
      return { status: 'completed', response: stored.response };
    },

    /** Stores the response to a claimed request. */
    async complete(request: KeyedRequest, response: Uint8Array): Promise<void> {
      const { fingerprint } = request;
      await table.update(keyOf(request), changing({ response }, having({ fingerprint })));
    },

    /** Ends the claim of a request that failed, so that it can be tried again. */
    async release(request: KeyedRequest): Promise<void> {
      await table.delete(keyOf(request));
    },
  };
}

const keyOf = ({ tokenId, keyHash }: KeyedRequest) => idempotencyKey(tokenId, keyHash);
