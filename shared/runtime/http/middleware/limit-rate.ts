import type { MiddlewareObj } from '@middy/core';
import { rateStore } from '../../../store/rates/rates.ts';
import { config, POLLS_PER_CALL } from '../../config/config.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import { callerOf } from '../caller.ts';
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
      const { API_RATE_PER_MINUTE, TOOL_RATE_PER_MINUTE } = config();
      const client = callerOf(event.requestContext.http.sourceIp);
      const { what, who, limit } = {
        organization: { what: 'api', who: event.organization ?? '', limit: API_RATE_PER_MINUTE },
        client: { what: 'tool', who: client, limit: TOOL_RATE_PER_MINUTE },
        // 'look' is part of stored keys.
        polls: { what: 'look', who: client, limit: TOOL_RATE_PER_MINUTE * POLLS_PER_CALL },
      }[whose];
      const rate = { limit, windowMilliseconds: MINUTE };
      const decision = await rateStore(itemStore()).consume(what, who, rate, clock.now());
      if (!decision.allowed) throw rateLimited(decision.retryAfterMilliseconds);
    },
  };
}
