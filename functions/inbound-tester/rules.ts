/** What the endpoints of the inbound mail tester share. */
import type { TesterNames } from '../../shared/api/inbound-tester.ts';
import { config } from '../../shared/runtime/config/config.ts';

export function testerNames(): TesterNames {
  return { hostUrl: config().HOST_URL, testerDomain: config().TESTER_DOMAIN };
}
