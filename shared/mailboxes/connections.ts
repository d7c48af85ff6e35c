/** What opens mailboxes, over connections that the dialer makes. */
import type { Dialer } from '../network/dialer.ts';
import { createGmail } from '../network/gmail.ts';
import { createGraph } from '../network/graph.ts';
import { createImap } from '../network/imap.ts';
import type { Clock } from '../network/ports.ts';
import { createTokens } from '../network/tokens.ts';
import { createWeb } from '../network/web.ts';
import { MAX_MESSAGE_BYTES } from '../reports/limits.ts';
import type { MailboxConnections } from './open.ts';

/** @param extraCa PEM of further trusted authorities; can be empty. */
export function connectionsOver(dialer: Dialer, extraCa: string, clock: Clock): MailboxConnections {
  const caller = createWeb({ dialer, extraCa });
  const maxMailBytes = MAX_MESSAGE_BYTES;
  return {
    imap: createImap({ dialer, maxMailBytes, extraCa }),
    graph: createGraph({ caller, maxMailBytes }),
    gmail: createGmail({ caller, clock, maxMailBytes }),
    tokens: createTokens(caller),
  };
}
