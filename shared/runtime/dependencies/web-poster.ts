import { createDialer } from '../../network/dialer.ts';
import type { WebPoster } from '../../network/ports.ts';
import { createWeb } from '../../network/web.ts';
import { config } from '../config/config.ts';
import { readAuthorities } from './check-context.ts';
import { dns } from './dns.ts';

/** Sends POST requests to user-supplied hosts, through the address guard. */
export function webPoster(): WebPoster {
  const settings = config();
  const dialer = createDialer({
    dns: dns(),
    privateAddresses: settings.PRIVATE_ADDRESSES,
    dialMap: settings.DIAL_MAP,
  });
  const extraCa = settings.EXTRA_CA_FILE === '' ? undefined : readAuthorities('EXTRA_CA_FILE', settings);
  return createWeb({ dialer, ...(extraCa === undefined ? {} : { extraCa }) });
}
