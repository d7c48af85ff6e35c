import type { MailboxConnections } from '../../mailboxes/open.ts';
import { createDialer } from '../../network/dialer.ts';
import { createImap } from '../../network/imap.ts';
import { createTokens } from '../../network/tokens.ts';
import { MAX_MESSAGE_BYTES } from '../../reports/limits.ts';
import { config } from '../config/config.ts';
import { readAuthorities } from './check-context.ts';
import { dns } from './dns.ts';
import { webPoster } from './web-poster.ts';

/** Opens folders of mailboxes on servers that users name, through the address guard. */
export function mailboxConnections(): MailboxConnections {
  const settings = config();
  const dialer = createDialer({
    dns: dns(),
    privateAddresses: settings.PRIVATE_ADDRESSES,
    dialMap: settings.DIAL_MAP,
  });
  const extraCa =
    settings.EXTRA_CA_FILE === '' ? {} : { extraCa: readAuthorities('EXTRA_CA_FILE', settings) };
  return {
    imap: createImap({ dialer, maxMailBytes: MAX_MESSAGE_BYTES, ...extraCa }),
    tokens: createTokens(webPoster()),
  };
}
