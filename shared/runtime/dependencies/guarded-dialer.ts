import { createDialer, type Dialer } from '../../network/dialer.ts';
import { config } from '../config/config.ts';
import { dns } from './dns.ts';

/** Connects to hosts that users name, through the address guard. */
export function guardedDialer(): Dialer {
  const { PRIVATE_ADDRESSES, DIAL_MAP } = config();
  return createDialer({ dns: dns(), privateAddresses: PRIVATE_ADDRESSES, dialMap: DIAL_MAP });
}
