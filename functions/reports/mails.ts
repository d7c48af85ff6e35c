import { showReportMail } from '../../shared/api/report-mails.ts';
import { windowOf } from '../../shared/api/report-queries.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
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
    tokens: pageTokens(table()),
    clock,
  }),
  async (request, { domains, mails, tokens, clock }) => {
    const { organization, path, query } = request;
    await requireDomain(domains, organization, path.id);
    const place = await tokens.placeOf(routes.listReportMails, request);
    const wanted = { ...place, outcome: query.outcome, window: windowOf(query) };
    const found = await mails.list(path.id, wanted, clock.now());
    if (found === 'too-many') throw new ServiceError('payload_too_large', TOO_MANY);
    return page(found.mails.map(showReportMail), await tokens.paginationOf(place, found));
  },
);
