import { getRawReportMail } from '../../shared/operations/reports/get-raw-report-mail.ts';
import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, contentReply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { mailOutcomeStore } from '../../shared/store/reports/mail-outcomes.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getRawReportMail,
  () => ({
    domains: domainStore(table()),
    mails: mailOutcomeStore(table(), retention()),
    raw: rawMessageStore(),
    clock,
  }),
  async (request, deps) => {
    const { data: message } = answer(await getRawReportMail(request.caller, request.path, deps));
    return contentReply('message/rfc822', message, `${request.path.mailId}.eml`);
  },
);
