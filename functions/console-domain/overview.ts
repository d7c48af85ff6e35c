import { overviewDocument, standingDocument } from '../../shared/pages/console/domain/document.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { planDependencies } from '../../shared/runtime/dependencies/fixes.ts';
import { pastEvidence } from '../../shared/runtime/dependencies/past-evidence.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { overviewOf } from '../../shared/views/domain/overview.ts';
import { standingOf } from '../../shared/views/domain/standing.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showDomainOverview,
  () => ({
    ...planDependencies(),
    domains: domainStore(table()),
    attention: attentionStore(table()),
    evidence: pastEvidence(),
    history: historyStore(table(), { retentionDays: config().RETENTION_DAYS }),
    dns: dns(),
    naming: naming(),
    clock,
  }),
  async (request, { domains, clock, ...deps }) => {
    const domain = await requireDomain(domains, request.organization, request.path.id);
    const { at } = request.query;
    if (at !== undefined)
      return reply(standingDocument(domain, request, await standingOf(domain, at, deps, clock.now())));
    return reply(overviewDocument(domain, request, await overviewOf(domain, deps, clock.now())));
  },
  consolePages,
);
