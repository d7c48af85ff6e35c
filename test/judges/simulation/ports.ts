/** What a simulated process gets from its world. */

import type { LoopbackServer } from '../../../lib/local/stores/loopback-server.ts';
import type { WebAnswer, WebPost } from '../../../shared/network/ports.ts';
import type { Mail } from '../../../shared/notify/mail.ts';

export type Store = Pick<LoopbackServer, 'endpoint' | 'send'>;

export interface ProcessPorts {
  /** Invocations of a function at the same time, at most. */
  readonly places: number;
  /** The same store, reached through the scheduler. */
  store(store: Store): Store;
  deadLetter(message: { readonly queue: string; readonly messageId: string }): void;
  post(request: WebPost): Promise<WebAnswer>;
  sendMail(mail: Mail): Promise<void>;
}
