import { showReportMail } from '../../shared/api/report-mails.ts';
import { windowOf } from '../../shared/api/report-queries.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { MAX_SEARCHED_MAILS, mailOutcomeStore } from '../../shared/store/reports/mail-outcomes.ts';
import { routes } from './routes.ts';

const TOO_MANY = `The mails with this outcome are not among the newest ${formatNumber(MAX_SEARCHED_MAILS)} of the period: narrow it with startDate and endDate.`;

export const handler = endpoint(
  routes.listReportMails,
  () => ({
    domains: domainStore(table()),
    mails: mailOutcomeStore(table(), { retentionDays: config().RETENTION_DAYS }),
    clock,
  }),
  async ({ organization, path, query }, { domains, mails, clock }) => {
    await requireDomain(domains, organization, path.id);
    const found = await mails.list(path.id, { ...query, window: windowOf(query) }, clock.now());
    if (found === 'too-many') throw new ServiceError('payload_too_large', TOO_MANY);
    const pagination = { page: query.page, limit: query.limit, hasMore: found.hasMore };
    return page(found.mails.map(showReportMail), pagination);
  },
);
