/**
 * Every HTTP endpoint of the service, a row each. The rows are next to their handlers, so that each bundle contains only
 * its own. The gateway of each host, the OpenAPI document, the IAM policies and alarms of each Lambda, and the endpoint
 * list in docs/api.md are derived from them.
 */
import type { Route } from '../shared/runtime/http/route.ts';
import { routes as alerts } from './alerts/routes.ts';
import { routes as attention } from './attention/routes.ts';
import { routes as audit } from './audit/routes.ts';
import { routes as badges } from './badges/routes.ts';
import { routes as checks } from './checks/routes.ts';
import { routes as compliance } from './compliance/routes.ts';
import { routes as consoleRoutes } from './console/routes.ts';
import { routes as consoleCompliance } from './console-compliance/routes.ts';
import { routes as consoleDomain } from './console-domain/routes.ts';
import { routes as consoleMailboxes } from './console-mailboxes/routes.ts';
import { routes as consolePeople } from './console-people/routes.ts';
import { routes as consoleSettings } from './console-settings/routes.ts';
import { routes as domainChecker } from './domain-checker/routes.ts';
import { routes as domains } from './domains/routes.ts';
import { routes as enforcement } from './enforcement/routes.ts';
import { routes as evidence } from './evidence/routes.ts';
import { routes as fixes } from './fixes/routes.ts';
import { routes as mailTest } from './mail-test/routes.ts';
import { routes as mailboxes } from './mailboxes/routes.ts';
import { routes as mcp } from './mcp/routes.ts';
import { routes as meta } from './meta/routes.ts';
import { routes as notifications } from './notifications/routes.ts';
import { routes as pages } from './pages/routes.ts';
import { routes as people } from './people/routes.ts';
import { routes as reports } from './reports/routes.ts';
import { routes as signIn } from './sign-in/routes.ts';
import { routes as spfChecker } from './spf-checker/routes.ts';
import { routes as tokens } from './tokens/routes.ts';

export const routes = {
  ...domains,
  ...checks,
  ...fixes,
  ...evidence,
  ...reports,
  ...mailboxes,
  ...enforcement,
  ...alerts,
  ...attention,
  ...compliance,
  ...notifications,
  ...tokens,
  ...people,
  ...audit,
  ...badges,
  ...domainChecker,
  ...spfChecker,
  ...mailTest,
  ...pages,
  ...signIn,
  ...consoleRoutes,
  ...consoleDomain,
  ...consoleCompliance,
  ...consoleMailboxes,
  ...consoleSettings,
  ...mcp,
  ...consolePeople,
  ...meta,
} as const satisfies Record<string, Route>;

/** Handles all other requests: 404 for an unknown path, 405 with `Allow` for an unsupported method of a known path. */
export const fallbackHandler = 'meta/fallback';
