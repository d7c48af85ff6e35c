/** Check runs of a domain on a table: of its records, at a time, without servers of its own and without DNSSEC. */
import type { CheckContext } from '../../shared/checks/inspect.ts';
import type { CheckRunDependencies } from '../../shared/monitoring/run-checks.ts';
import type { Network } from '../../shared/network/ports.ts';
import { checkRunOn } from '../../shared/runtime/dependencies/check-run-dependencies.ts';
import type { Table } from '../../shared/store/table.ts';
import { fakeWeb } from './web.ts';
import { type ZoneLiteral, zone } from './zone.ts';

/** What check runs on this table work with, in a service without a retention period unless it is given otherwise. */
export const checkRunStores = (
  table: Table,
  given: { RETENTION_DAYS?: number; FORMER_REPORTS_DOMAINS?: readonly string[] } = {},
): CheckRunDependencies =>
  checkRunOn(
    table,
    {
      ...{ SCORE_THRESHOLD: 70, CHECK_INTERVAL_SECONDS: 86_400, RETENTION_DAYS: 0 },
      ...{ REPORTS_DOMAIN: 'reports.example', FORMER_REPORTS_DOMAINS: [], ...given },
    },
    { send: async () => undefined },
  );

/** The second argument of a check run. The resolver does not support DNSSEC, which opens no items. */
export function checkRunAt(
  now: Date,
  zones: ZoneLiteral,
  others: Partial<Network> = {},
): { readonly checkContext: CheckContext; readonly now: Date } {
  const network = {
    dns: zone(zones),
    web: fakeWeb({}),
    smtp: { probe: async () => Promise.reject(new Error('no SMTP connections in this test')) },
    clock: { now: () => now },
    ...others,
  };
  return {
    now,
    checkContext: {
      ...{ network, trustAnchors: [] },
      validatorOver: (validator) => ({ ...validator, stripped: () => ({ code: 'stripped', zone: '.' }) }),
    },
  };
}
