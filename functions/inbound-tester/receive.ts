import { localPartsAt, readNotification } from '../../shared/intake/notification.ts';
import { analyse } from '../../shared/mail-test/analyse.ts';
import { config } from '../../shared/runtime/config.ts';
import { dns } from '../../shared/runtime/dns.ts';
import { mail } from '../../shared/runtime/mail.ts';
import { clock, table } from '../../shared/runtime/services.ts';
import { worker } from '../../shared/runtime/worker.ts';
import { testSessionStore } from '../../shared/store/test-sessions.ts';
import { triggers } from '../triggers.ts';

/** As much as the edge takes. */
const MAX_MESSAGE_OCTETS = 42 * 1024 * 1024;

export const handler = worker(
  triggers.receiveTestMail,
  () => ({
    sessions: testSessionStore(table()),
    raw: mail(),
    network: { dns: dns(), blocklists: config().BLOCKLISTS },
    testerDomain: config().TESTER_DOMAIN,
    clock,
  }),
  async (notification: unknown, { sessions, raw, network, testerDomain, clock }) => {
    const stored = readNotification(notification);
    if (stored === undefined) return;
    const { messageId: edgeId, rawKey, recipients, receivedAt } = stored;
    const tests = localPartsAt(testerDomain, recipients);
    const open = await Promise.all(tests.map((testId) => sessions.get(testId, clock.now())));
    const pending = open.flatMap((session) => (session?.status === 'pending' ? [session.testId] : []));
    const message = pending.length === 0 ? undefined : await raw.read(rawKey, MAX_MESSAGE_OCTETS);
    if (message instanceof Uint8Array) {
      const test = await analyse({ message, edgeId, receivedAt }, network);
      const result = { edgeId, receivedAt: receivedAt.toISOString(), test };
      for (const testId of pending) await sessions.complete(testId, result, clock.now());
    }
    // The first message of each session was kept above; any other only counts.
    for (const testId of tests) await sessions.countOther(testId, edgeId);
    await raw.remove(rawKey);
  },
);
