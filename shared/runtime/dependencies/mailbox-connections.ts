import { connectionsOver } from '../../mailboxes/connections.ts';
import type { MailboxConnections } from '../../mailboxes/open.ts';
import { config } from '../config/config.ts';
import { readAuthorities } from './check-context.ts';
import { guardedDialer } from './guarded-dialer.ts';
import { clock } from './services.ts';

/** Opens folders of mailboxes on servers that users name. */
export const mailboxConnections = (): MailboxConnections =>
  connectionsOver(guardedDialer(), readAuthorities('EXTRA_CA_FILE', config()), clock);
