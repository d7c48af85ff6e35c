import { showReportMail } from '../../shared/api/report-mails.ts';
import { replayReportMail } from '../../shared/operations/reports/replay-report-mail.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { ingestStores } from '../../shared/runtime/dependencies/ingest-stores.ts';
import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.replayReportMail,
  () => ({
    domains: domainStore(table()),
    stores: ingestStores(),
    raw: rawMessageStore(),
    dns: dns(),
    clock,
    unauthenticated: config().UNAUTHENTICATED_REPORTS,
  }),
  replayReportMail,
  showReportMail,
);
