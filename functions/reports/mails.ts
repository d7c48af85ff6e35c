import { showReportMail } from '../../shared/api/report-mails.ts';
import { windowOf } from '../../shared/api/report-queries.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { MAX_SEARCHED_MAILS, mailOutcomeStore } from '../../shared/store/reports/mail-outcomes.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

const TOO_MANY = `The mails with this outcome are not among the newest ${formatNumber(MAX_SEARCHED_MAILS)} of the period: narrow it with startDate and endDate.`;

export const handler = domainEndpoint(
  routes.listReportMails,
  () => ({
    mails: mailOutcomeStore(table(), retention()),
    tokens: pageTokens(table()),
    clock,
  }),
  async ({ id }, request, { mails, tokens, clock }) => {
    const { query } = request;
    const place = await tokens.placeOf(routes.listReportMails, request);
    const wanted = { ...place, outcome: query.outcome, window: windowOf(query) };
    const found = await mails.list(id, wanted, clock.now());
    if (found === 'too-many') throw new ServiceError('payload_too_large', TOO_MANY);
    return page(found.mails.map(showReportMail), await tokens.paginationOf(place, found));
  },
);
