/** In which stack the function of each endpoint is. */

import type { Route } from '../../shared/runtime/http/route.ts';
import { areaOf } from '../../shared/runtime/logging/log-lines.ts';
import type { FunctionRow } from './function.ts';

/**
 * The folders of `functions/` whose endpoints are in the stack `service`. This list never changes: a function that moves
 * to another stack is replaced, and its routes fail until all stacks are deployed.
 */
const areasOfService: ReadonlySet<string> = new Set([
  'alerts',
  'badges',
  'checks',
  'domains',
  'mail-test',
  'meta',
  'pages',
  'reports',
  'spf-checker',
]);

/** The same for the stack `people`, which also has room for more. */
const areasOfPeople: ReadonlySet<string> = new Set([
  'people',
  'console-people',
  'sign-in',
  'compliance',
  'console-compliance',
]);

/** The stack that the function of an endpoint is in. */
export function stackOf(row: Pick<FunctionRow, 'handler'>): 'service' | 'endpoints' | 'people' {
  const area = areaOf(row);
  if (areasOfService.has(area)) return 'service';
  return areasOfPeople.has(area) ? 'people' : 'endpoints';
}

export const isInService = (row: Pick<FunctionRow, 'handler'>): boolean => stackOf(row) === 'service';

/** Tells the resources of the paths of a route apart: empty for its own path, and such as `Csv` for that of a format. */
export const formatOf = ({ path: own }: Pick<Route, 'path'>, path: string): string =>
  path.slice(own.length).replace(/[./](.)/, (_, letter: string) => letter.toUpperCase());
