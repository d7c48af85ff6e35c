import { createDialer } from '../../network/dialer.ts';
import { createImap } from '../../network/imap.ts';
import type { Imap } from '../../network/imap-port.ts';
import { MAX_MESSAGE_BYTES } from '../../reports/limits.ts';
import { config } from '../config/config.ts';
import { readAuthorities } from './check-context.ts';
import { dns } from './dns.ts';

/** Opens folders of mailboxes on servers that users name, through the address guard. */
export function imap(): Imap {
  const settings = config();
  const dialer = createDialer({
    dns: dns(),
    privateAddresses: settings.PRIVATE_ADDRESSES,
    dialMap: settings.DIAL_MAP,
  });
  const extraCa = settings.EXTRA_CA_FILE === '' ? undefined : readAuthorities('EXTRA_CA_FILE', settings);
  return createImap({
    dialer,
    maxMailBytes: MAX_MESSAGE_BYTES,
    ...(extraCa === undefined ? {} : { extraCa }),
  });
}
