/**
 * Every HTTP endpoint of the service, a row each; the rows lie beside their handlers, of which each carries no others.
 * The gateway of each host, the OpenAPI document, the grants and alarms of each Lambda and the README's list derive
 * from these rows.
 */
import type { Route } from '../shared/runtime/route.ts';
import { routes as alerts } from './alerts/routes.ts';
import { routes as badges } from './badges/routes.ts';
import { routes as checks } from './checks/routes.ts';
import { routes as domains } from './domains/routes.ts';
import { routes as inboundTester } from './inbound-tester/routes.ts';
import { routes as meta } from './meta/routes.ts';
import { routes as pages } from './pages/routes.ts';
import { routes as reports } from './reports/routes.ts';
import { routes as spfChecker } from './spf-checker/routes.ts';

export const routes = {
  ...domains,
  ...checks,
  ...reports,
  ...alerts,
  ...badges,
  ...spfChecker,
  ...inboundTester,
  ...pages,
  ...meta,
} as const satisfies Record<string, Route>;

/** Answers what no row above does: 404 for an unknown path, 405 with `Allow` for an unknown method of a known one. */
export const fallbackHandler = 'meta/fallback';
