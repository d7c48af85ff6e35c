import { getRawReportMail } from '../../shared/operations/reports/get-raw-report-mail.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, contentReply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { mailOutcomeStore } from '../../shared/store/reports/mail-outcomes.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getRawReportMail,
  () => ({
    domains: domainStore(table()),
    mails: mailOutcomeStore(table(), { retentionDays: config().RETENTION_DAYS }),
    raw: rawMessageStore(),
    clock,
  }),
  async (request, deps) => {
    const { data: message } = answer(await getRawReportMail(asCaller(request), request.path, deps));
    return contentReply('message/rfc822', message, `${request.path.mailId}.eml`);
  },
);
