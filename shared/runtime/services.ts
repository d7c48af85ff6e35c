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

/** How the service calls itself and its report domain in what it shows. */
export function naming(): { serviceLabel: string; reportsDomain: string } {
  return { serviceLabel: config().SERVICE_LABEL, reportsDomain: config().REPORTS_DOMAIN };
}

export const clock = systemClock;
