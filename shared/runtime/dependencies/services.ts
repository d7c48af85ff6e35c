/**
 * Dependencies that handlers share, created on first use and once per cold start. Each is a separate function, so that a
 * bundle contains only what its handler uses.
 */
import { systemClock } from '../../network/clock.ts';
import { type ItemStore, itemStoreOf, openClient } from '../../store/items.ts';
import { type Table, tableOn } from '../../store/table.ts';
import { config } from '../config/config.ts';

let openedClient: ReturnType<typeof openClient> | undefined;

function client() {
  openedClient ??= openClient();
  return openedClient;
}

export const table = (): Table => tableOn(config().TABLE_NAME, client());

/** The single items of the table, for bundles that need no queries and no transactions. */
export const itemStore = (): ItemStore => itemStoreOf(config().TABLE_NAME, client());

/** How long stores keep what is about domains. */
export const retention = () => ({ retentionDays: config().RETENTION_DAYS });

/** The name, origin, and report domain of the service, as shown to users. */
export function naming(): { hostUrl: string; serviceLabel: string; reportsDomain: string } {
  const { HOST_URL, SERVICE_LABEL, REPORTS_DOMAIN } = config();
  return { hostUrl: HOST_URL, serviceLabel: SERVICE_LABEL, reportsDomain: REPORTS_DOMAIN };
}

/** The host of the identity provider, as pages show it; undefined if the operator has set none. */
export function providerHost(): string | undefined {
  const { OIDC_ISSUER } = config();
  return OIDC_ISSUER === '' ? undefined : new URL(OIDC_ISSUER).host;
}

/** The names that the inbound mail tester shows. */
export function testerNames(): { hostUrl: string; testerDomain: string } {
  const { HOST_URL, TESTER_DOMAIN } = config();
  return { hostUrl: HOST_URL, testerDomain: TESTER_DOMAIN };
}

export const clock = systemClock;
