import { missing } from '../../shared/api/common.ts';
import { mailKeyOf, showReportMail } from '../../shared/api/report-mails.ts';
import { replayReportMail } from '../../shared/ingest/replay-mail.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { ingestStores } from '../../shared/runtime/dependencies/ingest-stores.ts';
import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.replayReportMail,
  () => ({
    domains: domainStore(table()),
    stores: ingestStores(),
    raw: rawMessageStore(),
    dns: dns(),
    clock,
    unauthenticated: config().UNAUTHENTICATED_REPORTS,
  }),
  async ({ organization, path }, { domains, stores, raw, dns, clock, unauthenticated }) => {
    const { id, domain } = await requireDomain(domains, organization, path.id);
    const reference = { id, organization, domain };
    const now = clock.now();
    const get = async () => {
      const mail = await stores.outcomes.get(reference, mailKeyOf(path.mailId), now);
      if (mail === undefined) throw new ServiceError('not_found', missing.mail);
      return mail;
    };
    // Whoever asks for a mail to be read again wants its reports, also those that were deleted.
    const context = { domain: reference, unauthenticated, restoresDeleted: true };
    const replayed = await replayReportMail(await get(), { raw, dns }, context, { stores, now });
    if (replayed === 'message-gone') throw new ServiceError('not_found', missing.message);
    if (replayed === 'domain-gone') throw new ServiceError('not_found', missing.domain);
    return { ...reply(showReportMail(await get())), subjects: [{ id: path.mailId, name: domain }] };
  },
);
