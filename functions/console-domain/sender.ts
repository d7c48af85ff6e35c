import { enforcement } from '../../shared/enforcement/shapes.ts';
import { domainDocument } from '../../shared/pages/console/domain/document.ts';
import { senderPage, senderTitle } from '../../shared/pages/console/domain/sender.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { assessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { ipData } from '../../shared/runtime/dependencies/ip-data.ts';
import { retention, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, reply } from '../../shared/runtime/http/reply.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { senderView } from '../../shared/views/domain/sender.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.showSender,
  () => ({
    ...assessDependencies(),
    assessments: assessmentStore(table(), enforcement),
    ipData: ipData(),
    dmarcReports: dmarcReportStore(table(), retention()),
  }),
  async (domain, request, deps) => {
    const { senderId } = request.path;
    const view = accepted(await senderView(domain, senderId, request.query, deps), 'query');
    return reply(
      domainDocument(domain, request, senderTitle(view), (shown, room) =>
        senderPage(shown, senderId, view, room),
      ),
    );
  },
  consolePages,
);
