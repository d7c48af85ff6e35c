import { arrivedMail, localPartsAt } from '../../shared/ingest/arrived-mail.ts';
import { withPatience } from '../../shared/ingest/sender-patience.ts';
import { analyse } from '../../shared/mail-test/analyse.ts';
import { provenSelectors } from '../../shared/mail-test/proven-selectors.ts';
import { config, testerDomains } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { postpone } from '../../shared/runtime/workers/queue.ts';
import { patienceOf, readMailInTurn } from '../../shared/runtime/workers/read-mail.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { testSessionStore } from '../../shared/store/test-sessions.ts';
import { triggers } from '../triggers.ts';

/** The maximum that SES and the SMTP listener accept. */
const MAX_MESSAGE_OCTETS = 42 * 1024 * 1024;

/** For all lookups of a message. The rest of ten seconds suffices to verify the signatures of the largest message. */
const DNS_MILLISECONDS = 7_000;

export const handler = worker(
  triggers.receiveTestMail,
  arrivedMail,
  () => ({
    sessions: testSessionStore(table()),
    selectors: seenSelectorStore(table()),
    raw: rawMessageStore(),
    postpone: postpone('tester'),
    network: {
      dns: dns(),
      blocklists: config().BLOCKLISTS,
      domainBlocklists: config().DOMAIN_BLOCKLISTS,
    },
    domains: testerDomains(config()),
    clock,
  }),
  async (
    { messageId: edgeId, rawKey, recipients, receivedAt, verdicts },
    { sessions, selectors, raw, postpone, network, domains, clock },
    work,
  ) => {
    const tests = localPartsAt(domains, recipients);
    const open = await Promise.all(tests.map((testId) => sessions.get(testId, clock.now())));
    const known = open.filter((session) => session !== undefined);
    const pending = known.flatMap((session) => (session.status === 'pending' ? [session.testId] : []));
    const analysed =
      pending.length === 0
        ? undefined
        : await readMailInTurn({ raw, postpone }, work, async (raw) => {
            const message = await raw.read(rawKey, MAX_MESSAGE_OCTETS);
            if (!(message instanceof Uint8Array)) return undefined;
            const patience = { ...patienceOf(work, clock), milliseconds: DNS_MILLISECONDS };
            return withPatience(network.dns, patience, async (dns) => {
              const test = await analyse({ message, edgeId, receivedAt, verdicts }, { ...network, dns });
              return { test, proven: await provenSelectors(test.results.dkim, dns) };
            });
          });
    if (analysed !== undefined) {
      const { test, proven } = analysed;
      // Before the session is completed, because a message that completed a session is not read again.
      for (const [domain, names] of proven) await selectors.rememberTested(domain, names, clock.now());
      const result = { edgeId, receivedAt: receivedAt.toISOString(), test };
      for (const testId of pending) await sessions.complete(testId, result, clock.now());
    }
    // The first message of each session was stored above; further messages are only counted.
    for (const testId of tests) await sessions.countOther(testId, edgeId);
    await raw.remove(rawKey);
    const outcome = pending.length > 0 ? 'kept' : known.length > 0 ? 'counted' : 'dropped';
    record('mail', { inbound: 'tester', outcome, messageId: edgeId });
  },
);
