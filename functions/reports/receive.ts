import { arrivedMail } from '../../shared/ingest/arrived-mail.ts';
import { receiveReportMail } from '../../shared/ingest/receive-mail.ts';
import { config, reportsDomains } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { ingestStores } from '../../shared/runtime/dependencies/ingest-stores.ts';
import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { postpone } from '../../shared/runtime/workers/queue.ts';
import { patienceOf, readMailInTurn } from '../../shared/runtime/workers/read-mail.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { triggers } from '../triggers.ts';

/** The last receive of a message: if it fails too, the message goes to the dead-letter queue. */
const LAST_RECEIVE = triggers.receiveReportMail.source.maxReceiveCount;

export const handler = worker(
  triggers.receiveReportMail,
  arrivedMail,
  () => ({
    domains: domainStore(table()),
    stores: ingestStores(),
    raw: rawMessageStore(),
    dns: dns(),
    clock,
    record,
    settings: config(),
    postpone: postpone('reports'),
  }),
  async (mail, { record, settings, ...deps }, work) => {
    const { messageId, rawKey } = mail;
    const attempt = work.attempt();
    const received = await readMailInTurn(deps, work, (raw) =>
      receiveReportMail(
        mail,
        { ...deps, raw },
        {
          reportsDomains: reportsDomains(settings),
          unauthenticated: settings.UNAUTHENTICATED_REPORTS,
          patience: patienceOf(work, deps.clock),
          ...(attempt >= LAST_RECEIVE && { lastReceive: LAST_RECEIVE }),
        },
      ),
    );
    for (const { domain, outcomes = [] } of received)
      for (const { kind } of outcomes) record('report', { outcome: kind, domainId: domain.id, messageId });
    const isKept = received.some(({ outcomes }) => outcomes !== undefined);
    record('mail', { inbound: 'reports', outcome: isKept ? 'kept' : 'dropped', messageId });
    // No domain has the mailbox, or the domain was removed after its mail was accepted: the mail is deleted.
    if (!isKept) await deps.raw.remove(rawKey);
  },
);
