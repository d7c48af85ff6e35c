/**
 * What handlers share, made at first use and once per cold start. Each is a function of its own, so that a bundle
 * holds only what its handler names.
 */
import { systemClock } from '../network/clock.ts';
import { openTable, type Table } from '../store/table.ts';
import { config } from './config.ts';

let openedTable: Table | undefined;

export function table(): Table {
  openedTable ??= openTable(config().TABLE_NAME);
  return openedTable;
}

/** How the service calls itself, its origin and its report domain in what it shows. */
export function naming(): { hostUrl: string; serviceLabel: string; reportsDomain: string } {
  const { HOST_URL, SERVICE_LABEL, REPORTS_DOMAIN } = config();
  return { hostUrl: HOST_URL, serviceLabel: SERVICE_LABEL, reportsDomain: REPORTS_DOMAIN };
}

export const clock = systemClock;
