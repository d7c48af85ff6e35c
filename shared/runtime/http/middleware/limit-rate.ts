import type { MiddlewareObj } from '@middy/core';
import { callerOf } from '../../../network/caller.ts';
import { type Quota, type Rate, type RateDecision, rateStore } from '../../../store/rates/rates.ts';
import { config, POLLS_PER_CALL } from '../../config/config.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { rateLimited } from '../errors.ts';
import type { Route } from '../route.ts';

const MINUTE = 60_000;

/**
 * The general rate limits: per organization on v1, per client address on the public tools, and separately for polling
 * the result of a mail test.
 */
export function limitRate(whose: Exclude<Route['rate'], 'none'>): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      if (whose === 'queries' && event.rawQueryString === '') return;
      const { API_RATE_PER_MINUTE, TOOL_RATE_PER_MINUTE } = config();
      const client = callerOf(event.requestContext.http.sourceIp);
      const tool = { what: 'tool', who: client, limit: TOOL_RATE_PER_MINUTE };
      const { what, who, limit } = {
        organization: { what: 'api', who: event.organization ?? '', limit: API_RATE_PER_MINUTE },
        client: tool,
        queries: tool,
        // 'look' is part of stored keys.
        polls: { what: 'look', who: client, limit: TOOL_RATE_PER_MINUTE * POLLS_PER_CALL },
      }[whose];
      const rate = { limit, windowMilliseconds: MINUTE };
      const decision = await rateStore(itemStore()).consume(what, who, rate, clock.now());
      if (limit > 0) event.responseHeaders = rateHeaders(whose, rate, decision);
      if (!decision.allowed) throw rateLimited(decision.retryAfterMilliseconds);
    },
  };
}

/**
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11): what is left of the limit, and the
 * seconds until there is more.
 */
function rateHeaders(
  policy: string,
  { limit, windowMilliseconds }: Rate,
  decision: RateDecision & { readonly quota?: Quota },
): Record<string, string> {
  const remaining = decision.quota?.remaining ?? 0;
  const wait = decision.allowed ? (decision.quota?.resetMilliseconds ?? 0) : decision.retryAfterMilliseconds;
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return {
    ratelimit: `"${policy}";r=${remaining};t=${seconds}`,
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowMilliseconds / 1000}`,
  };
}
