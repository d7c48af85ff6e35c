import { connectionsOver } from '../../mailboxes/connections.ts';
import type { MailboxConnections } from '../../mailboxes/open.ts';
import { createDialer } from '../../network/dialer.ts';
import { config } from '../config/config.ts';
import { readAuthorities } from './check-context.ts';
import { dns } from './dns.ts';
import { clock } from './services.ts';

/** Opens folders of mailboxes on servers that users name, through the address guard. */
export function mailboxConnections(): MailboxConnections {
  const settings = config();
  const dialer = createDialer({
    dns: dns(),
    privateAddresses: settings.PRIVATE_ADDRESSES,
    dialMap: settings.DIAL_MAP,
  });
  const extraCa = settings.EXTRA_CA_FILE === '' ? undefined : readAuthorities('EXTRA_CA_FILE', settings);
  return connectionsOver(dialer, extraCa, clock);
}
