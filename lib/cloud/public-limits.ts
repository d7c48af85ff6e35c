/**
 * What callers without a token can take of a deployment, so that mail, background jobs and the API keep the rest: requests
 * per second of each route, and functions that run at the same time.
 */
import { routes } from '../../functions/routes.ts';
import { isPublicTool, type Route } from '../../shared/runtime/http/route.ts';
import type { Settings } from './settings.ts';

type Row = Partial<Pick<Route, 'access' | 'rate'>>;

/** The part of `requestsPerSecond` that one public route gets: all tools together get about half. */
const TOOL_SHARE = 1 / 20;
const OTHER_SHARE = 1 / 4;

/** The requests per second that a route accepts from all callers together. */
export function requestsPerSecondOf(row: Row, { requestsPerSecond }: Settings): number {
  if (row.access !== 'public') return requestsPerSecond;
  return Math.max(1, Math.floor(requestsPerSecond * (isPublicTool(row) ? TOOL_SHARE : OTHER_SHARE)));
}

/** The part of the account's concurrency that all public tools together get. */
const TOOLS_CONCURRENCY = 1 / 4;

/** AWS, "Configuring reserved concurrency": 100 of the account's concurrency cannot be reserved. */
const UNRESERVED = 100;

/**
 * The concurrency that is reserved for the function of a public tool, which is also its maximum. Undefined for other
 * functions, which share the rest; and for all functions if the quota is unknown or leaves nothing to reserve, as in new
 * accounts.
 */
export function reservedConcurrencyOf(row: Row, { lambdaConcurrency }: Settings): number | undefined {
  if (!isPublicTool(row)) return undefined;
  const forTools = Math.min(lambdaConcurrency * TOOLS_CONCURRENCY, lambdaConcurrency - UNRESERVED);
  const each = Math.floor(forTools / Object.values(routes).filter(isPublicTool).length);
  return each < 1 ? undefined : each;
}
