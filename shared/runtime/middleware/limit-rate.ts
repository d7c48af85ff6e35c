import type { MiddlewareObj } from '@middy/core';
import { formatPrefix, parseIp, prefixOf } from '../../protocol/ip.ts';
import { rateStore } from '../../store/rates.ts';
import { config } from '../config.ts';
import type { EndpointEvent } from '../endpoint.ts';
import { rateLimited } from '../errors.ts';
import { clock, table } from '../services.ts';

const MINUTE = 60_000;

/** The general limits: per organization on v1, per client address on the public tools. */
export function limitRate(whose: 'organization' | 'client'): MiddlewareObj<EndpointEvent> {
  return {
    before: async ({ event }) => {
      const [what, who, limit] =
        whose === 'organization'
          ? ['api', event.organization ?? '', config().API_RATE_PER_MINUTE]
          : ['tool', callerOf(event.requestContext.http.sourceIp), config().TOOL_RATE_PER_MINUTE];
      const decision = await rateStore(table()).counted(
        what,
        who,
        { limit, windowMilliseconds: MINUTE },
        clock.now(),
      );
      if (!decision.allowed) throw rateLimited(decision.retryAfter);
    },
  };
}

/** Whoever has one address of an IPv6 /64 has them all (RFC 6177), so these count as one caller. */
function callerOf(address: string): string {
  const ip = parseIp(address);
  return ip?.family === 6 ? formatPrefix(prefixOf(ip, 64)) : address;
}
