/**
 * Dependencies that handlers share, created on first use and once per cold start. Each is a separate function, so that a
 * bundle contains only what its handler uses.
 */
import { systemClock } from '../network/clock.ts';
import { openTable, type Table } from '../store/table.ts';
import { config } from './config.ts';

let openedTable: Table | undefined;

export function table(): Table {
  openedTable ??= openTable(config().TABLE_NAME);
  return openedTable;
}

/** The name, origin, and report domain of the service, as shown to users. */
export function naming(): { hostUrl: string; serviceLabel: string; reportsDomain: string } {
  const { HOST_URL, SERVICE_LABEL, REPORTS_DOMAIN } = config();
  return { hostUrl: HOST_URL, serviceLabel: SERVICE_LABEL, reportsDomain: REPORTS_DOMAIN };
}

export const clock = systemClock;
